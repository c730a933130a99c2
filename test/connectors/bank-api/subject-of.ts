import type { FlavourName } from '../../../simulators/bank-api/index.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { listAt, textsOf, toOpened, withHarness } from '../../conformance/opened-source.ts'
import type { List, Subject } from '../../conformance/subject.ts'
import { connect, openHarness } from './harness.ts'

interface Shape {
  /** Name of the array in answers. */
  rows: string
  /** Endings of the lists' addresses, without the query, and the id of their rows. */
  accounts: readonly (readonly [ending: string, id: string])[]
  transactions: readonly [ending: string, id: string, required: readonly string[]]
  category: string
  throttles: Subject['throttles']
}

/** The conformance subject of one example profile's bank. */
export function subjectOf(flavour: FlavourName, { rows, accounts, transactions, category, throttles }: Shape): Subject {
  const endsIn =
    (ending: string) =>
    (body: Json, { url }: { url: string }) =>
      new URL(url).pathname.endsWith(ending) ? listAt(body, rows) : null
  const lists: List[] = accounts.map(([ending, id]) => ({
    pull: 'accounts',
    entity: 'Accounts',
    rows: endsIn(ending),
    names: (row) => textsOf(row, id),
    required: [id],
  }))
  const [ending, id, required] = transactions
  lists.push({
    pull: 'transactions',
    entity: 'Transactions',
    rows: endsIn(ending),
    names: (row) => textsOf(row, id),
    required: [id, ...required],
    words: { [category]: 'category' },
  })
  return {
    open: async (size) => {
      const harness = await openHarness(flavour)
      return toOpened(harness, await connect(harness, size === 'small' ? 'good' : 'load'))
    },
    lists,
    throttles,
    revoked: { because: 'the keys are the operator’s: a bank ends its contract with the operator, not with one customer' },
    forbidden: 'forbidden',
    expiredCursor: { because: 'the profiles’ banks take a place in a list for as long as the list is there' },
    repeatedPage: 'repeatPage',
    withoutBooks: () => withHarness(openHarness(flavour), async (harness) => [await connect(harness, 'empty')]),
    requestsSingleRecord: ({ url }) => url.endsWith('/balances'),
    publicParts: ['customerId', 'memberNumber', 'partyId'],
  }
}
