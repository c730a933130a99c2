import { expect, it } from 'vitest'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const api = openForTests(openApiHarness)

interface Detail {
  sessionId: string
  timeline: { detail: string }[]
  runs: { reason: string }[]
  setAside: { origId: string }[]
}

it('the detail of a connection has 20 runs and 100 entries of its timeline and of the records set aside, and names the whole lists', async () => {
  const { companyId, serviceId, deps } = api.syncHarness
  const place = `/normalized-data/company/${companyId}/data-connection/${serviceId(api.books)}`
  const read = async <Shape>(path: string): Promise<Shape> => {
    const answer = await api.call('GET', `${place}/${path}`, { role: 'viewer' })
    expect(answer.statusCode).toBe(200)
    return answer.json() as unknown as Shape
  }
  const { sessionId } = await read<Detail>('status')
  const fill = async (statement: string) => await deps.database.query(statement, [sessionId])
  await fill(`insert into connection_timeline (instance_id, connection_id, at, from_status, to_status, detail)
    select instance_id, id, now() + make_interval(secs => n), 19, 19, 'entry ' || n from connections, generate_series(1, 150) n where id = $1`)
  await fill(`insert into quarantined_records (instance_id, connection_id, company_id, entity, orig_id, reason, raw_index, run_id)
    select instance_id, id, company_id, 'Accounts', 'record ' || to_char(n, 'FM000'), 'no name', 0, gen_random_uuid()
    from connections, generate_series(150, 1, -1) n where id = $1`)
  await fill(`insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, counts, started_at, ended_at)
    select instance_id, gen_random_uuid(), connection_id, company_id, 'run ' || n, 'published', 1, counts, now() + make_interval(secs => n), now()
    from (select * from sync_runs where connection_id = $1 limit 1) one, generate_series(1, 25) n`)
  const { timeline, runs, setAside } = await read<Detail>('status')
  const names = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n + 1))
  expect(timeline.map(({ detail }) => detail)).toEqual(names(100, (n) => `entry ${n + 50}`))
  expect(runs.map(({ reason }) => reason)).toEqual(names(20, (n) => `run ${26 - n}`))
  expect(setAside.map(({ origId }) => origId)).toEqual(names(100, (n) => `record ${String(n).padStart(3, '0')}`))
  const totalOf = async (path: string) => Number((await api.call('GET', `${place}/${path}`, { role: 'viewer' })).headers['x-total-count'])
  expect((await read<{ setAside: { total: number } }>('quality')).setAside.total).toBe(150)
  expect(await totalOf('timeline?FilterQuery=kind%3Dstatus')).toBeGreaterThan(150)
  expect(await totalOf('runs')).toBeGreaterThan(25)
})
