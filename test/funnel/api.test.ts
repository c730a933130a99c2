import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { countOpened, countStep } from '../../src/store/connections/link-progress.ts'
import { openApiHarness } from '../api/harness.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { openForTests } from '../harness/for-tests.ts'

interface Funnel {
  from: string
  to: string
  counts: Record<string, unknown>[]
}

const DAY_MS = 86_400_000

const api = openForTests(openApiHarness)

/** A link that was opened at an instant; returns it. */
async function open(at: string, language: 'en' | 'fr-CA' = 'en', source = 'books'): Promise<{ instanceId: string; id: string }> {
  const { deps, instanceId, companyId, serviceId } = api.syncHarness
  const { open } = await openNewLink(deps, { instanceId, companyId, serviceId: serviceId(api.books) })
  await countOpened(deps.database, { instanceId, linkId: open.link.id, source, language, isFramed: false })
  await deps.database.query('update link_progress set opened_at = $2 where link_id = $1', [open.link.id, at])
  return { instanceId, id: open.link.id }
}

async function read(query = '', token = api.tokens.viewer): Promise<Funnel> {
  return (await api.call('GET', `/usage/funnel${query}`, { headers: { authorization: `Bearer ${token}` } })).json() as unknown as Funnel
}

describe('the funnel of links', () => {
  it('counts steps by UTC day, both days included, with the names of sources', async () => {
    for (const at of ['2026-10-01T00:00:00Z', '2026-10-02T23:59:59.999Z']) {
      await countStep(api.syncHarness.deps.database, await open(at, 'fr-CA'), 'connected')
    }
    await open('2026-09-30T23:59:59.999Z')
    await open('2026-10-03T00:00:00Z')
    await open('2026-10-02T00:00:00Z', 'en', 'a-source-of-before')
    const steps = { opened: 1, agreed: 1, chose: 1, declined: 0, failed: 0, left: 0, connected: 1 }
    const books = { source: 'books', sourceName: api.books.description.name, language: 'fr', isFramed: false, ...steps }
    expect(await read('?From=2026-10-01&To=2026-10-02')).toEqual({
      from: '2026-10-01',
      to: '2026-10-02',
      counts: [
        { day: '2026-10-01', ...books },
        {
          ...{ day: '2026-10-02', source: 'a-source-of-before', sourceName: 'a-source-of-before', language: 'en', isFramed: false },
          ...{ opened: 1, agreed: 0, chose: 0, declined: 0, failed: 0, left: 0, connected: 0 },
        },
        { day: '2026-10-02', ...books },
      ],
    })
    expect(api.listUnseen((path) => path === '/usage/funnel')).toEqual([])
  })

  it('is of the last 30 days, up to the last day that is asked for', async () => {
    const { from, to } = await read()
    expect((Date.parse(to) - Date.parse(from)) / DAY_MS).toBe(29)
    expect(await read('?To=2024-03-01')).toEqual({ from: '2024-02-01', to: '2024-03-01', counts: [] })
    expect((await read('?From=2025-11-01&To=2026-11-01')).from).toBe('2025-11-01')
  })

  it.each([
    ['From=2026-02-30', 'From', 'must be an ISO 8601 date or timestamp of a day that exists'],
    ['To=yesterday', 'To', 'must be an ISO 8601 date or timestamp of a day that exists'],
    ['From=2026-10-02&To=2026-10-01', 'To', 'must be From or one of the 365 days after it'],
    ['From=2025-09-30&To=2026-10-01', 'To', 'must be From or one of the 365 days after it'],
    ['From=', 'From', 'must be an ISO 8601 date or timestamp of a day that exists'],
    ['Days=7', 'Days', expect.anything()],
  ])('refuses %s', async (query, field, message) => {
    const refused = await api.call('GET', `/usage/funnel?${query}`)
    expect(refused).toMatchObject({ statusCode: 400 })
    expect(refused.json()).toMatchObject({ errors: [{ field, message }] })
  })

  it('is of one instance alone', async () => {
    const neighbour = await api.openOtherInstance()
    expect(await read('?From=2026-10-01&To=2026-10-02', neighbour.token)).toMatchObject({ counts: [] })
  })

  it.each([
    ['at once, up to 10,000 links', '2026-08-01', 10_000, 10_001],
    ['once a minute, beyond 10,000 links', '2026-08-02', 10_001, 10_001],
  ])('counts %s', async (_when, day, links, shown) => {
    const { deps, instanceId, companyId, serviceId } = api.syncHarness
    const add = async (count: number) => {
      await deps.database.query(
        `insert into links (instance_id, id, token_hash, company_id, service_id, issued_by, expires_at)
         select $1, gen_random_uuid(), decode(md5(random()::text), 'hex'), $2, $3, 'test', 'infinity' from generate_series(1, $4::int)`,
        [instanceId, companyId, serviceId(api.books), count],
      )
      await deps.database.query(
        `insert into link_progress (instance_id, link_id, opened_at, source, language, is_framed)
         select instance_id, id, $2::timestamptz, 'books', 'en', false from links l
         where instance_id = $1 and issued_by = 'test' and not exists (select from link_progress p where p.link_id = l.id)`,
        [instanceId, `${day}T12:00:00Z`],
      )
    }
    const opened = async () => (await read(`?From=${day}&To=${day}`)).counts.map((count) => count.opened)
    await add(links)
    expect(await opened()).toEqual([links])
    await add(1)
    expect(await opened()).toEqual([shown])
    // What is kept is of this instance and these days alone.
    const neighbour = await api.openOtherInstance()
    expect((await read(`?From=${day}&To=${day}`, neighbour.token)).counts).toEqual([])
    expect((await read('?From=2026-07-01&To=2026-07-31')).counts).toEqual([])
    expect((await read(`?From=2026-07-01&To=${day}`)).counts.at(-1)?.opened).toBe(links + 1)
  })

  it('counts nothing of a link that is not known', async () => {
    const { deps, instanceId } = api.syncHarness
    await expect(countStep(deps.database, { instanceId, id: randomUUID() }, 'agreed')).resolves.toBeUndefined()
  })
})
