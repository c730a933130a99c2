import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Total } from '../../store/db/list-selection.ts'
import { linkWriter, listPage } from './list-reply.ts'

interface Asked {
  page: number
  size?: number
  items?: number
  total: number | Total
  url?: string
}

/** Answer to a request for a page: its body, and its headers of paging. */
async function answerTo({ page, size = 10, items = 10, total, url = '/list' }: Asked) {
  const app = fastify()
  app.get('/list', async (_request, reply) => listPage(reply, { pageNumber: page, pageSize: size }, Array(items).fill('x'), total))
  const { headers, ...response } = await app.inject(url)
  await app.close()
  const { 'x-total-count': count, 'x-total-count-relation': relation, link } = headers
  const pages = String(link)
    .split(', ')
    .map((each) => /^<\/list\?PageNumber=(\d+)>; rel="(\w+)"$/.exec(each)?.slice(1).reverse().join(' ') ?? each)
  return { body: response.json(), count, relation, link, pages }
}

describe('a page of a list', () => {
  it('says which page it is, how many items it has, and how many there are', async () => {
    const { body, count, relation } = await answerTo({ page: 2, items: 3, total: 13 })
    expect([body, count, relation]).toEqual([{ pageNumber: 2, pageSize: 10, count: 3, data: ['x', 'x', 'x'] }, '13', undefined])
  })

  it.each<[string, Asked, string[]]>([
    ['the only page', { page: 1, total: 10 }, ['first 1', 'last 1']],
    ['no item at all', { page: 1, items: 0, total: 0 }, ['first 1', 'last 1']],
    ['the first of two', { page: 1, total: 11 }, ['first 1', 'next 2', 'last 2']],
    ['the last of two', { page: 2, total: 20 }, ['first 1', 'prev 1', 'last 2']],
    ['one in the middle', { page: 2, total: 21 }, ['first 1', 'prev 1', 'next 3', 'last 3']],
    ['one behind the last', { page: 7, total: 21 }, ['first 1', 'prev 3', 'last 3']],
    ['one right behind the last', { page: 4, total: 21 }, ['first 1', 'prev 3', 'last 3']],
    ['more pages than can be asked for', { page: 9_999, total: 1_000_000 }, ['first 1', 'prev 9998', 'last 9999']],
    ['all that were counted', { page: 1, total: { total: 11, hasMore: false } }, ['first 1', 'next 2', 'last 2']],
    ['more than were counted', { page: 1, total: { total: 11, hasMore: true } }, ['first 1', 'next 2']],
    ['more than were counted, on page 2', { page: 2, total: { total: 11, hasMore: true } }, ['first 1', 'prev 1', 'next 3']],
    ['a page that is not full', { page: 2, items: 9, total: { total: 11, hasMore: true } }, ['first 1', 'prev 1']],
    ['the last that can be asked for', { page: 9_999, total: { total: 11, hasMore: true } }, ['first 1', 'prev 9998']],
  ])('has links to its neighbours: %s', async (_what, asked, pages) => {
    expect((await answerTo(asked)).pages).toEqual(pages)
  })

  it('says that a total is a lower bound', async () => {
    const { count, relation } = await answerTo({ page: 1, total: { total: 1_000, hasMore: true } })
    expect([count, relation]).toEqual(['1000', 'gte'])
  })

  it('keeps the other parameters in its links', async () => {
    const { link } = await answerTo({ page: 1, total: 1, url: '/list?FilterQuery=name%3Da%26%26b%3D1&PageNumber=5&Desc=true' })
    expect(link).toBe(
      ['first', 'last'].map((rel) => `</list?FilterQuery=name%3Da%26%26b%3D1&PageNumber=1&Desc=true>; rel="${rel}"`).join(', '),
    )
  })
})

it('links are written anew for another total only', () => {
  const write = linkWriter({ url: '/list', query: null }, { pageNumber: 1, pageSize: 10 })
  const first = write(11)
  expect([first, write(11), write(21), write(11)]).toEqual([
    '</list?PageNumber=1>; rel="first", </list?PageNumber=2>; rel="next", </list?PageNumber=2>; rel="last"',
    first,
    '</list?PageNumber=1>; rel="first", </list?PageNumber=2>; rel="next", </list?PageNumber=3>; rel="last"',
    first,
  ])
})
