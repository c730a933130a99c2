import { complete, connect, consent, setStage } from '../../connectors/netsuite/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ giantAccounts: 2001, concurrency: 100 })
    return onStage(stage, size === 'small' ? await connect(stage) : await connect(stage, 'load', '9999999/reader'))
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
  withoutBooks: () => walked(setStage(), async (stage) => await complete(stage, await consent(stage, 'sam', '2468013/employee'))),
  inTheOpen: ['accountId', 'account'],
}
