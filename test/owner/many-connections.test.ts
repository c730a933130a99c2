import { afterEach, expect, it, vi } from 'vitest'
import type { LoadedPage, Owner } from '../connect/kit/owner.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openOwnerPageHarness } from './harness.ts'

const ENDED = 2_000
const PAGE_SIZE = 25

const harness = openForTests(openOwnerPageHarness)
const database = () => harness.connectHarness.deps.database
const instanceId = () => harness.connectHarness.instanceId
afterEach(() => vi.restoreAllMocks())

const CONNECT = `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, entity_id, entity_name, status,
  update_scheduled_at, refresh_hours, created_at, updated_at)`

/** Connections of a company that ended a minute after each other, a hundred days ago, with receipts of both kinds in turn. */
async function addEnded(companyId: string, count: number): Promise<void> {
  await database().query(
    `with ended as (${CONNECT} select $1, gen_random_uuid(), $2, gen_random_uuid(), 'plaid', 'Banking', '', 'e' || n, 'Entity ' || n, 26, now(), 24,
         now() - interval '200 days', now() - interval '100 days' + make_interval(mins => n) from generate_series(1, $3) n
       returning id, entity_name)
     insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
     select $1, gen_random_uuid(), $2, id, case when entity_name like '%0' then 'deletion' else 'withdrawal' end, now(), 'Bank', 'signed-text' from ended`,
    [instanceId(), companyId, count],
  )
}

/** Active connections of a company to banks of their own, each with a publication. */
async function addActive(companyId: string, count: number): Promise<void> {
  await database().query(
    `with bank as (insert into child_services (instance_id, id, connector_key, institution_id, name)
         select $1, gen_random_uuid(), 'plaid', $2 || '/' || n, 'Bank ' || n from generate_series(1, $3) n returning id, name),
       connected as (${CONNECT} select $1, gen_random_uuid(), $2::uuid, id, 'plaid', 'Banking', '', 'e', name, 19, now(), 24, now(), now() from bank)
     insert into publications (key, instance_id, company_id, service_id, version, published_at, accounts, transactions)
     select $1 || '/' || $2 || '/' || id, $1, $2::uuid, id, 1, now(), 7, 9 from bank`,
    [instanceId(), companyId, count],
  )
}

const receiptsIn = ({ markup }: LoadedPage) => [...markup.matchAll(/\/connect\/yours\/receipt\?receipt=([0-9a-f-]*)/g)].map(([, id]) => id)
const entitiesIn = ({ markup }: LoadedPage) => [...markup.matchAll(/<p class="entity">([^<]*)</g)].map(([, name]) => name)
const shownIn = ({ markup }: LoadedPage) => markup.split('<li><div class="owned-head">').length - 1
const nextIn = ({ markup }: LoadedPage, list: string) =>
  new RegExp(`href="([^"]*#${list})" rel="next"`).exec(markup)?.[1]?.replaceAll('&amp;', '&')

async function walk(owner: Owner, first: LoadedPage, list: string): Promise<LoadedPage[]> {
  const pages = [first]
  for (let next = nextIn(first, list); next !== undefined; next = nextIn(pages.at(-1) ?? first, list)) pages.push(await owner.get(next))
  return pages
}

it('an owner of 2,000 connections that have ended reaches each receipt, 25 on a page, the last that ended first', async () => {
  const { owner, companyId } = await harness.connected()
  await addEnded(companyId, ENDED)
  const pages = await walk(owner, await owner.get('/connect/yours'), 'ended')
  expect(pages.map((page) => [shownIn(page), receiptsIn(page).length])).toEqual(
    Array.from({ length: ENDED / PAGE_SIZE }, () => [1 + PAGE_SIZE, PAGE_SIZE]),
  )
  expect(pages.flatMap(entitiesIn)).toEqual(Array.from({ length: ENDED }, (_, n) => `Entity ${ENDED - n}`))
  const { rows } = await database().query<{ id: string }>('select id from receipts where company_id = $1', [companyId])
  expect(pages.flatMap(receiptsIn).toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  const { markup, text } = await owner.get('/connect/yours?ended=3')
  expect([markup.includes('href="/connect/yours?ended=2#ended" rel="prev"'), text.includes('3 / 80')]).toEqual([true, true])
  expect(markup).toContain('href="/connect/yours?ended=3&amp;lang=fr-CA"')
})

it.each([
  ['99999', 'Entity 1'],
  ['2', 'Entity 1'],
  ['0', 'Entity 26'],
  ['-1', 'Entity 26'],
  ['x', 'Entity 26'],
])('page %s of a list of two is one that there is', async (page, first) => {
  const { owner, companyId } = await harness.connected()
  await addEnded(companyId, PAGE_SIZE + 1)
  expect(entitiesIn(await owner.get(`/connect/yours?ended=${page}`))[0]).toBe(first)
})

it('of connections to many banks each is reached with its own name and data, beside those that have ended', async () => {
  const { owner, companyId } = await harness.connected()
  await addActive(companyId, 2 * PAGE_SIZE)
  await addEnded(companyId, 2 * PAGE_SIZE)
  const pages = await walk(owner, await owner.get('/connect/yours?ended=2'), 'active')
  expect(pages.map(shownIn)).toEqual([2 * PAGE_SIZE, 2 * PAGE_SIZE, 1 + PAGE_SIZE])
  expect(pages.map((page) => entitiesIn(page).at(-1))).toEqual(['Entity 1', 'Entity 1', 'Entity 1'])
  const markup = pages.map((page) => page.markup).join('')
  const names = [...markup.matchAll(/<h3>(Bank \d+)<\/h3>/g)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(Array.from({ length: 2 * PAGE_SIZE }, (_, n) => `Bank ${n + 1}`).toSorted())
  // Only the statements have accounts with names.
  expect([markup.split('(7\u00a0accounts)').length - 1, markup.match(/••••/g)?.length]).toEqual([2 * PAGE_SIZE, 3])
})

it('the page of 2,000 connections takes as many statements as that of three, none of which reads a signed receipt', async () => {
  const query = vi.spyOn(database(), 'query')
  const sentFor = async (active: number, ended: number) => {
    const { owner, companyId } = await harness.connected()
    await addActive(companyId, active)
    await addEnded(companyId, ended)
    query.mockClear()
    const page = await owner.get('/connect/yours')
    return { shown: shownIn(page), statements: query.mock.calls.map(([statement]) => JSON.stringify(statement)) }
  }
  const [few, many] = [await sentFor(1, 1), await sentFor(PAGE_SIZE, ENDED)]
  expect([few.shown, many.shown]).toEqual([3, 2 * PAGE_SIZE])
  expect(few.statements.length).toBeGreaterThan(5)
  expect(many.statements).toEqual(few.statements)
  expect(many.statements.filter((statement) => statement.includes('signed'))).toEqual([])
})
