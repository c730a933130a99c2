import { CASCADE, openHarness, RIDEAU, WITH_SECRET } from '../../connectors/netsuite/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, concurrency: 100 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load', role: '9999999/reader' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { body: asked }) => (String(asked).includes('FROM account ') ? listAt(body, 'items') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      words: { accttype: 'typeApp', sspecacct: 'subTypeApp', isinactive: 'statusApp' },
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { body: asked }) => (String(asked).includes('FROM transactionaccountingline') ? listAt(body, 'items') : null),
      names: ({ transaction, transactionline }) => [`${String(transaction)}:${String(transactionline)}`, String(transaction)],
      required: ['transaction', 'transactionline', 'account', 'debit', 'credit', 'trandate'],
      words: { type: 'sourceType' },
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['throttleAs400', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for behind an id' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleAs400: 'rateLimited',
    gatewayTimeout: 'unavailable',
    requestTimeout: 'unavailable',
    huge: 'unavailable',
    badQuery: 'badData',
    unauthorized: 'reconnect',
    forbidden: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['accountId', 'account'],
  redirect: {
    open: opensFor(openHarness, CASCADE),
    openWithSecret: async () => {
      const harness = await openHarness(WITH_SECRET)
      return { harness, revoke: () => harness.simulator.revoke(CASCADE) }
    },
    refuses: { decision: 'cancel' },
    codeMs: 600_000,
    wrongCallbacks: [{ company: 'evil.example/x?' }, { company: 'a.b' }, { company: '' }],
    forged: { company: RIDEAU },
    withoutBooks: { answer: { login: 'sam', role: '2468013/employee' }, says: ['role', 'rôle'] },
    scopes: { because: 'NetSuite has no scope for reading only; the role decides' },
    several: { because: 'the owner picks one account and role at NetSuite' },
    frenchPage: />Autoriser<\/button>/,
    accessTokenMs: 3_600_000,
    usedRefreshToken: 'ended',
    lostAnswer: 'reconnect',
    disconnect: 'all tokens',
  },
}
