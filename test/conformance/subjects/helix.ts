import { openHarness } from '../../connectors/helix/harness.ts'
import { submit } from '../../harness/form.ts'
import { listAt, textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Subject } from '../subject.ts'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness()
    return toOpened(harness, await submit(harness, size === 'small' ? {} : { customerId: '1999' }))
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
  withoutBooks: () => withHarness(openHarness(), async (harness) => [await submit(harness, { customerId: '77' })]),
  inactive: { because: 'the status of bank accounts is another field' },
  publicParts: ['address', 'customerId'],
}
