import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Total } from '../../store/db/list-selection.ts'
import type { ListRequest } from './list-query.ts'

const LAST_PAGE_NUMBER = 9999

export interface ListPage<Item> {
  pageNumber: number
  pageSize: number
  count: number
  data: Item[]
}

/**
 * Envelope of one page of `total` items, with the total in `X-Total-Count` and the adjacent pages in `Link`. A list with
 * more rows than are counted says so in `X-Total-Count-Relation`, and has no last page.
 */
export function listPage<Item>(
  reply: FastifyReply,
  list: Pick<ListRequest, 'pageNumber' | 'pageSize'>,
  items: Item[],
  total: number | Total,
): ListPage<Item> {
  if (typeof total === 'number' || !total.hasMore) announcePages(reply, list, typeof total === 'number' ? total : total.total)
  else announceOpenPages(reply, list, total.total, items.length === list.pageSize)
  return { pageNumber: list.pageNumber, pageSize: list.pageSize, count: items.length, data: items }
}

/** Sets the headers of `listPage` for a response with another envelope. */
function announcePages(reply: FastifyReply, list: { pageNumber: number; pageSize: number }, total: number): void {
  reply.header('x-total-count', String(total))
  reply.header('link', linkWriter(reply.request, list)(total))
}

/** The same for a list that has more rows than are counted. */
function announceOpenPages(reply: FastifyReply, list: { pageNumber: number; pageSize: number }, counted: number, hasNext: boolean): void {
  const { url, query } = reply.request
  const neighbours: [string, number][] = [['first', 1]]
  if (list.pageNumber > 1) neighbours.push(['prev', list.pageNumber - 1])
  if (hasNext && list.pageNumber < LAST_PAGE_NUMBER) neighbours.push(['next', list.pageNumber + 1])
  reply.header('x-total-count', String(counted))
  reply.header('x-total-count-relation', 'gte')
  reply.header('link', toLinks(url, query, neighbours))
}

/** `Link` header of a list for its total; memoized for the last total. */
export function linkWriter(
  { url, query }: Pick<FastifyRequest, 'url' | 'query'>,
  list: { pageNumber: number; pageSize: number },
): (total: number) => string {
  let written = { total: Number.NaN, text: '' }
  return (total) => {
    if (written.total !== total) {
      written = { total, text: toLinks(url, query, neighboursOf(list, total)) }
    }
    return written.text
  }
}

function neighboursOf(list: { pageNumber: number; pageSize: number }, total: number): [string, number][] {
  const last = Math.min(LAST_PAGE_NUMBER, Math.max(1, Math.ceil(total / list.pageSize)))
  const neighbours: [string, number][] = [['first', 1]]
  if (list.pageNumber > 1) neighbours.push(['prev', Math.min(list.pageNumber - 1, last)])
  if (list.pageNumber < last) neighbours.push(['next', list.pageNumber + 1])
  neighbours.push(['last', last])
  return neighbours
}

function toLinks(url: string, query: unknown, neighbours: readonly [string, number][]): string {
  return neighbours.map(([rel, page]) => `<${pageAddress(url, query, page)}>; rel="${rel}"`).join(', ')
}

/** Relative, so that it is valid behind any proxy. Source: https://www.rfc-editor.org/rfc/rfc8288#section-3 */
function pageAddress(url: string, given: unknown, page: number): string {
  const [path = ''] = url.split('?', 1)
  const query = new URLSearchParams()
  if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given)) query.set(name, String(value))
  }
  query.set('PageNumber', String(page))
  return `${path}?${query}`
}
