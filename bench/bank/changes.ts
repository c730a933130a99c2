import type { Json } from '../../src/model/values/json.ts'
import type { Bank } from './bank.ts'

/**
 * The bank with other balances: of each customer for whom `digitOf` returns a digit, it is appended to the whole units of
 * the first `most` balances of a page.
 */
export function withChanges(bank: Bank, digitOf: (customer: string) => number | null, most = Number.POSITIVE_INFINITY): Bank {
  const { description } = bank
  const load: typeof description.load = async () => {
    const connector = await description.load()
    const pulls = connector.pulls.map((pull) => ({
      ...pull,
      fetch: async (session: Parameters<typeof pull.fetch>[0], cursor: Json | null) => {
        const page = await pull.fetch(session, cursor)
        const digit = digitOf(session.entityId)
        if (digit === null) return page
        const answers = Object.fromEntries(Object.entries(page.answers).map(([name, bytes]) => [name, changed(bytes, digit, most)]))
        return { ...page, answers }
      },
    }))
    return { ...connector, pulls }
  }
  return { ...bank, description: { ...description, load } }
}

function changed(bytes: Uint8Array, digit: number, most: number): Uint8Array {
  let left = most
  const text = Buffer.from(bytes).toString('utf8')
  return Buffer.from(text.replace(/"balance":"\d+/g, (found) => (left-- > 0 ? `${found}${digit}` : found)))
}
