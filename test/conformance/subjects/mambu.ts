import type { Json } from '../../../src/model/values/json.ts'
import { openHarness } from '../../connectors/mambu/harness.ts'
import { submit } from '../../harness/form.ts'
import { textsOf, toOpened, withHarness } from '../opened-source.ts'
import type { Row, Subject } from '../subject.ts'

const rowsAt =
  (path: RegExp) =>
  (body: Json, { url }: { url: string }): Json[] | null =>
    path.test(url) && Array.isArray(body) ? body : null

const isNote = ({ type }: Row) => type === 'INTEREST_RATE_CHANGED'

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness()
    return toOpened(harness, await submit(harness, size === 'small' ? {} : { holder: 'GIANT' }))
  },
  lists: [
    ...['deposits', 'loans'].flatMap((list) => [
      {
        pull: 'accounts',
        entity: 'Accounts' as const,
        rows: rowsAt(new RegExp(`/api/${list}\\?`)),
        names: (row: Row) => textsOf(row, 'encodedKey'),
        required: ['encodedKey'],
      },
      {
        pull: 'transactions',
        entity: 'Transactions' as const,
        rows: rowsAt(new RegExp(`/api/${list}/[^/]+/transactions\\?`)),
        names: (row: Row) => textsOf(row, 'encodedKey'),
        required: ['encodedKey', 'type', 'amount', 'valueDate'],
        isLeftOut: isNote,
      },
    ]),
  ],
  throttles: [['throttle', 60_000]],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { because: 'a page is asked for by offset' },
  repeatedPage: 'repeatPage',
  withoutBooks: () => withHarness(openHarness(), async (harness) => [await submit(harness, { holder: 'NOBODY' })]),
  requestsSingleRecord: ({ url }) => url.endsWith('/schedule') || url.endsWith('/setup/organization'),
  inactive: { because: 'the status of bank accounts is another field' },
  publicParts: ['address', 'holder', 'holderId'],
}
