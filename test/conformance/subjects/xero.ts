import { DENTIST, GIANT, openHarness } from '../../connectors/xero/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

const OPTIONS = { giantAccounts: 500, callsPerMinute: 100_000, callsPerDay: 100_000 }

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness(OPTIONS)
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'Accounts'),
      names: (row) => textsOf(row, 'AccountID'),
      required: ['AccountID'],
      words: { Class: 'classApp', Type: 'typeApp', SystemAccount: 'subTypeApp', Status: 'statusApp' },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'Journals'),
      names: (row) => textsOf(row, 'JournalID'),
      required: ['JournalID', 'JournalNumber', 'JournalLines'],
      words: { SourceType: 'sourceType' },
    },
  ],
  throttles: [
    ['throttle', 27_000],
    ['throttleDay', 5 * 3_600_000],
    ['throttleConcurrent', 1_000],
  ],
  revoked: 'revoked',
  forbidden: 'missingScope',
  expiredCursor: { because: 'journals are asked for behind a number, manual ones by page' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleDay: 'rateLimited',
    throttleConcurrent: 'rateLimited',
    offline: 'unavailable',
    internalError: 'unavailable',
    huge: 'unavailable',
    badRequest: 'badData',
    unauthorized: 'reconnect',
    revoked: 'reconnect',
  },
  volatile: { because: 'every answer of Xero has an Id of its own' },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['connectionId'],
  redirect: {
    open: opensFor(openHarness, DENTIST),
    refuses: { decision: 'deny' },
    codeMs: 300_000,
    forged: { because: 'the callback names no organisation' },
    withoutBooks: { answer: { login: 'sam', businessId: '' }, says: ['no organisation', 'aucune organisation'] },
    scopes: /\.read$|^offline_access$/,
    several: { because: 'the owner picks one organisation at Xero' },
    frenchPage: /Bow Valley Dental – Calgary[\s\S]*>Autoriser<\/button>/,
    invalidRequests: [{ scope: 'everything' }, { code_challenge_method: 'plain' }],
    callLimit: { settings: { callsPerMinute: 2 }, windowMs: 60_000 },
    accessTokenMs: 30 * 60_000,
    usedRefreshToken: { because: 'a used token is good for half an hour more, for an answer that was lost' },
    lostAnswer: 'new tokens',
    disconnect: 'all tokens',
  },
}
