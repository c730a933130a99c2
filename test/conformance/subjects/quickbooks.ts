import { BAKERY, BUILDER, GIANT, openHarness } from '../../connectors/quickbooks/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, callsPerMinute: 100_000 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { realmId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body) => listAt(body, 'QueryResponse', 'Account'),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id'],
      words: { Classification: 'classApp', AccountType: 'typeApp', AccountSubType: 'subTypeApp' },
    },
    {
      pull: 'journalEntries',
      entity: 'Transactions',
      rows: (body) => listAt(body, 'QueryResponse', 'JournalEntry'),
      names: (row) => textsOf(row, 'Id'),
      required: ['Id', 'Line'],
    },
  ],
  throttles: [['throttle', 60_000]],
  revoked: 'revoked',
  forbidden: { because: 'every role that may connect an app may read the accounts' },
  expiredCursor: { because: 'a page is asked for by its position' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    huge: 'unavailable',
    unauthorized: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: [],
  redirect: {
    open: opensFor(openHarness, BAKERY),
    refuses: { decision: 'cancel' },
    codeMs: 600_000,
    verifier: { because: 'Intuit takes no PKCE' },
    wrongCallbacks: [{ realmId: '../../x' }, { realmId: '' }],
    forged: { realmId: BUILDER },
    withoutBooks: { because: 'Intuit sends only owners of a company back' },
    scopes: { because: 'QuickBooks has no scope for reading only' },
    several: { because: 'the owner picks one company at Intuit' },
    frenchPage: />Connecter<\/button>/,
    invalidRequests: [{ scope: '' }, { state: '' }],
    callLimit: { settings: { callsPerMinute: 2 }, windowMs: 60_000 },
    accessTokenMs: 3_600_000,
    usedRefreshToken: { because: 'a refresh token changes once a day only' },
    lostAnswer: 'reconnect',
    disconnect: 'all tokens',
  },
}
