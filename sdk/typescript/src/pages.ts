export interface PageQuery {
  PageNumber: number
  PageSize: number
}

const MOST_ITEMS = 500

/**
 * Items of a list, page after page:
 * `for await (const company of eachItem((page) => api.listCompanies({ query: page })))`.
 *
 * Pages are counted from the start of the list: where items go while it is read, later ones move up, and some are left
 * out. Collect the items before you delete any.
 */
export async function* eachItem<T>(
  read: (page: PageQuery) => Promise<{ data: readonly T[] }>,
  { pageSize = MOST_ITEMS }: { pageSize?: number } = {},
): AsyncGenerator<T, void, undefined> {
  for (let number = 1; ; number++) {
    const { data } = await read({ PageNumber: number, PageSize: pageSize })
    yield* data
    if (data.length < pageSize) return
  }
}

/**
 * Pages of a feed, from a cursor to its present end. Keep the `cursor` of a page once you are done with its items, and
 * begin with it the next time:
 * `for await (const { data, cursor } of eachPage((cursor) => api.listEvents({ query: cursor ? { Cursor: cursor } : {} }), kept))`.
 */
export async function* eachPage<T, P extends { data: readonly T[]; cursor: string | null; hasMore: boolean }>(
  read: (cursor?: string) => Promise<P>,
  from?: string,
): AsyncGenerator<P, void, undefined> {
  let cursor = from
  for (;;) {
    const page = await read(cursor)
    yield page
    if (!page.hasMore || page.cursor === null) return
    cursor = page.cursor
  }
}
