import { GIANT, openHarness, SHOP } from '../../connectors/zoho/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { at, listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

const OPTIONS = { giantAccounts: 401, callsPerMinute: 100_000, callsPerDay: 100_000 }

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness(OPTIONS)
    return toOpened(harness, size === 'small' ? await connect(harness, {}, SHOP) : await connect(harness, { login: 'load' }, GIANT))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'chartofaccounts'),
      names: (row) => textsOf(row, 'account_id'),
      required: ['account_id'],
      words: { account_type: 'typeApp' },
    },
    {
      // The list only names the journals; each one's lines are in a separate answer.
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('per_page=20&') ? listAt(body, 'journals') : null),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id'],
      isLeftOut: ({ status }) => status === 'draft',
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body) => (at(body, 'journal') === null ? null : [at(body, 'journal')]),
      names: (row) => textsOf(row, 'journal_id'),
      required: ['journal_id', 'status', 'line_items'],
      isAuxiliary: true,
    },
  ],
  requestsSingleRecord: ({ url }) => /\/journals\/\d/.test(url),
  throttles: [
    ['throttle', 60_000],
    ['throttleDay', 12 * 3_600_000],
    ['throttleConcurrent', 5_000],
    ['throttleOdd', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'unauthorized',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleDay: 'rateLimited',
    throttleConcurrent: 'rateLimited',
    throttleOdd: 'rateLimited',
    internalError: 'unavailable',
    huge: 'unavailable',
    errorInSuccess: 'badData',
    noPageContext: 'badData',
    revoked: 'reconnect',
  },
  secretFaults: ['unauthorized'],
  recovers: ['repeatPage', 'wrongPage', 'duplicateIds'],
  endless: ['repeatPage', 'wrongPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['accountsAt', 'apiAt'],
  redirect: {
    open: opensFor(openHarness, 'mei'),
    refuses: { decision: 'deny' },
    usedCode: '200 to the request for a token (invalid_code)',
    codeMs: 120_000,
    verifier: { because: 'Zoho takes no PKCE from an app with a secret' },
    forged: { because: 'the callback names no organization' },
    withoutBooks: { answer: { login: 'sam' }, says: ['no organization', 'aucune organisation'] },
    scopes: /\.READ$/,
    several: { because: 'the sign-in gives a grant for each organization, and a repair all of them once more' },
    frenchPage: /Zoho Books[\s\S]*>Autoriser<\/button>/,
    invalidRequests: [{ scope: 'everything' }],
    callLimit: { settings: { callsPerMinute: 2 }, windowMs: 60_000 },
    accessTokenMs: 3_600_000,
    usedRefreshToken: { because: 'the refresh token stays as it is' },
    lostAnswer: 'new tokens',
    disconnect: 'refresh token',
  },
}
