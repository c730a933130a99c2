import { parseFilter } from '../../src/api/lists/filter-query.ts'
import { selectInMemory } from '../../src/api/lists/list-in-memory.ts'
import type { Api } from '../../src/cli/client/api.ts'
import type { ColumnType } from '../../src/store/db/list-selection.ts'

type Item = Record<string, string | number | boolean | null>

/** A list of the API: its items, and the properties that its filter takes. */
interface List {
  items(): readonly Item[]
  filter: Readonly<Record<string, ColumnType>>
}

/** API with one list at each of these endings of a path; filters and pages as the service does, and counts what it answers. */
export function listingApi(lists: Readonly<Record<string, List>>) {
  const answered = { requests: 0, items: 0 }
  const read = async (_shape: unknown, address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://127.0.0.1')
    const list = Object.entries(lists).find(([ending]) => pathname.endsWith(ending))?.[1]
    if (!list) throw new Error(`${pathname} is no list of this API`)
    const limit = Number(searchParams.get('PageSize'))
    const { items } = selectInMemory(
      list.items().map((item, index) => ({ ...item, id: String(item.id ?? index).padStart(9, '0') })),
      {
        filter: parseFilter(searchParams.get('FilterQuery') ?? '', list.filter),
        orderBy: 'id',
        descending: false,
        limit,
        offset: (Number(searchParams.get('PageNumber')) - 1) * limit,
      },
      list.filter,
      (item, name) => (item as Item)[name] ?? null,
    )
    answered.requests += 1
    answered.items += items.length
    return { data: items }
  }
  return { api: { read } as unknown as Api, answered }
}
