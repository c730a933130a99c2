import type { Pull, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { MapContext } from '../../../src/connectors/contract/mapping.ts'
import { trytonConnector } from '../../../src/connectors/tryton/client.ts'
import type { Json } from '../../../src/model/values/json.ts'

/** All pages of one run, as the engine would request them. */
export async function run(pull: Pull, session: Session, cursor: Json | null = null) {
  const items: SourceItem[] = []
  for (let next = cursor; ; ) {
    const page = await pull.fetch(session, next)
    items.push(...pull.read(page.answers))
    if (page.next === null) return { items, resume: page.resume ?? null, listing: page.listing }
    next = page.next
  }
}

export function mapAccount(item: SourceItem): Record<string, unknown> {
  return mapItem(item, trytonConnector.entities.Accounts.map.fields)
}

export function mapLine(item: SourceItem): Record<string, unknown> {
  return mapItem(item, trytonConnector.entities.Transactions?.map.fields ?? {})
}

function mapItem(
  item: SourceItem,
  fields: Readonly<Record<string, (wire: never, context: MapContext) => unknown>>,
): Record<string, unknown> {
  if (!('wire' in item)) throw new Error('unreadable')
  const unmapped: string[] = []
  const context: MapContext = { fetchedAt: new Date(0), unmapped: (_field, word) => unmapped.push(word) }
  return { ...Object.fromEntries(Object.entries(fields).map(([name, read]) => [name, read(item.wire as never, context)])), unmapped }
}

export function count(words: string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
}
