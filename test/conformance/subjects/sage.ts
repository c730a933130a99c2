import { openHarness } from '../../connectors/sage/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { at, listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 450, callsPerMinute: 100_000, callsPerDay: 100_000 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/ledger_accounts?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: {
        'ledger_account_group.id': 'classApp',
        'ledger_account_type.id': 'typeApp',
        control_name: 'subTypeApp',
      },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/journals?') ? listAt(body, '$items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'journal_lines'],
      words: { 'transaction_type.id': 'sourceType' },
      isLeftOut: (row) => at(row, 'deleted_at') !== null,
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['retryAfter', 30_000],
  ],
  revoked: 'revoked',
  forbidden: 'noSubscription',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    retryAfter: 'rateLimited',
    huge: 'unavailable',
    errorBody: 'badData',
    noEnvelope: 'badData',
    unauthorized: 'reconnect',
    noSubscription: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['businessId'],
  redirect: {
    open: opensFor(openHarness, 'lucie'),
    refuses: { decision: 'cancel' },
    codeMs: 60_000,
    forged: { because: 'the callback names no business' },
    withoutBooks: { answer: { login: 'sam' }, says: ['no business', 'aucune entreprise'], fault: 'noBusiness' },
    scopes: /^readonly$/,
    several: { login: 'rene' },
    frenchPage: />Autoriser<\/button>/,
    invalidRequests: [{ scope: 'everything' }, { code_challenge_method: 'plain' }],
    callLimit: { settings: { callsPerMinute: 3 }, windowMs: 60_000 },
    accessTokenMs: 5 * 60_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    disconnect: 'refresh token',
  },
}
