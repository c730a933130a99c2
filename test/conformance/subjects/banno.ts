import { complete, connect, consent, setStage } from '../../connectors/banno/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage({ giantAccounts: 3 })
    return onStage(stage, await connect(stage, size === 'small' ? 'maren' : 'load'))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.endsWith('/accounts') ? listAt(body, 'accounts') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transactions?') ? listAt(body, 'transactions') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id', 'amount'],
      words: { 'enrichments.expenseCategory': 'category' },
    },
  ],
  throttles: [
    ['throttle', 30_000],
    ['throttleBare', 60_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'pages are asked for by offset, which is never too old' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => walked(setStage(), async (stage) => await complete(stage, await consent(stage, 'nobody'))),
  inTheOpen: [],
}
