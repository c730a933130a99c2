import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ListRequest } from './list-query.ts'

const LAST_PAGE_NUMBER = 9999

export interface ListPage<Item> {
  pageNumber: number
  pageSize: number
  count: number
  data: Item[]
}

/** Envelope of one page of `total` items, with the total in `X-Total-Count` and the adjacent pages in `Link`. */
export function listPage<Item>(
  reply: FastifyReply,
  list: Pick<ListRequest, 'pageNumber' | 'pageSize'>,
  items: Item[],
  total: number,
): ListPage<Item> {
  announcePages(reply, list, total)
  return { pageNumber: list.pageNumber, pageSize: list.pageSize, count: items.length, data: items }
}

/** Sets the headers of `listPage` for a response with another envelope. */
function announcePages(reply: FastifyReply, list: { pageNumber: number; pageSize: number }, total: number): void {
  reply.header('x-total-count', String(total))
  reply.header('link', linkWriter(reply.request, list)(total))
}

/** `Link` header of a list for its total; memoized for the last total. */
export function linkWriter(
  { url, query }: Pick<FastifyRequest, 'url' | 'query'>,
  list: { pageNumber: number; pageSize: number },
): (total: number) => string {
  let written = { total: Number.NaN, text: '' }
  return (total) => {
    if (written.total !== total) {
      const links = neighboursOf(list, total).map(([rel, page]) => `<${pageAddress(url, query, page)}>; rel="${rel}"`)
      written = { total, text: links.join(', ') }
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
