import { setStage, submit } from '../../connectors/helix/stage.ts'
import { listAt, onStage, textsOf, walked } from '../on-stage.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const stage = await setStage()
    return onStage(stage, await submit(stage, size === 'small' ? {} : { customerId: '1999' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/account/list/') ? listAt(body, 'data') : null),
      names: (row) => textsOf(row, 'accountId'),
      required: ['accountId'],
    },
    {
      pull: 'transactions',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/transaction/list/') ? listAt(body, 'data') : null),
      names: (row) => textsOf(row, 'transactionId'),
      required: ['transactionId', 'amount', 'isCredit'],
      words: { typeCode: 'category' },
      isLeftOut: ({ status }) => status === 'Voided',
    },
  ],
  throttles: [['throttle', 31_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by its number' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => walked(setStage(), async (stage) => [await submit(stage, { customerId: '77' })]),
  inactive: { because: 'the status of bank accounts is another field' },
  inTheOpen: ['address', 'customerId'],
}
