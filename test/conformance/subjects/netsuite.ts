import { complete, connect, consent, openHarness } from '../../connectors/netsuite/harness.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 2001, concurrency: 100 })
    return toOpened(harness, size === 'small' ? await connect(harness) : await connect(harness, 'load', '9999999/reader'))
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
    ['throttle', 1_000],
    ['throttleAs400', 1_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for behind an id' },
  repeatedPage: 'repeatPage',
  withoutBooks: () =>
    withHarness(openHarness(), async (harness) => await complete(harness, await consent(harness, 'sam', '2468013/employee'))),
  inTheOpen: ['accountId', 'account'],
}
