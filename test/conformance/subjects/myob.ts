import { BUILDER, GIANT, openHarness } from '../../connectors/myob/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, callsPerSecond: 100_000 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { businessId: GIANT, login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/GeneralLedger/Account?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID'],
      words: { Classification: 'classApp', Type: 'typeApp' },
    },
    {
      pull: 'journals',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/GeneralLedger/JournalTransaction?') ? listAt(body, 'Items') : null),
      names: (row) => textsOf(row, 'UID'),
      required: ['UID', 'Lines'],
    },
  ],
  throttles: [
    ['throttle', 1_000],
    ['throttledBefore', 1_000],
    ['retryAfter', 12_000],
    ['dayIsOver', 3_600_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its position' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttledBefore: 'rateLimited',
    dayIsOver: 'rateLimited',
    keyIsOff: 'unavailable',
    gatewayTimeout: 'unavailable',
    errorBody: 'badData',
    unauthorized: 'reconnect',
    forbidden: 'reconnect',
    huge: 'unavailable',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['businessId'],
  redirect: {
    open: opensFor(openHarness, 'zoe'),
    refuses: { decision: 'deny' },
    codeMs: 600_000,
    verifier: { because: 'MYOB takes no PKCE' },
    wrongCallbacks: [{ businessId: '../../x' }],
    forged: { businessId: BUILDER },
    swapped: { login: 'aroha', businessId: BUILDER },
    withoutBooks: { answer: { login: 'sam' }, says: ['no business', 'aucune entreprise'] },
    scopes: { because: 'MYOB has no scope for reading only' },
    several: { because: 'the owner picks one business at MYOB' },
    frenchPage: /Wattle &amp; Rye[\s\S]*>Autoriser<\/button>/,
    callLimit: { settings: { callsPerSecond: 3 }, windowMs: 1_000 },
    accessTokenMs: 20 * 60_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    disconnect: { because: 'MYOB has no call that ends an authorization' },
  },
}
