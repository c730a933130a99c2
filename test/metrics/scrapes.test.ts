import { Counter, Gauge } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ScrapedRegistry } from '../../src/metrics/scraped-registry.ts'
import { type Database, openDatabase } from '../../src/store/db/database.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { allFamilies } from './all-families.ts'
import { lacksPromtool, promtool, promtoolNote } from './promtool.ts'

let home: TestDatabase
beforeEach(async () => {
  home = await testDatabase()
})
afterEach(async () => await home.drop())

describe('a scrape', () => {
  let metrics: ScrapedRegistry
  let readings: number
  let failures: unknown[]
  beforeEach(() => {
    readings = 0
    metrics = metricsOf(home.database)
  })

  function metricsOf(database: Database): ScrapedRegistry {
    failures = []
    const registry = new ScrapedRegistry(database, (error) => failures.push(error))
    new Counter({ name: 'work_total', help: 'Work of this process', registers: [registry] }).inc(3)
    new Gauge({
      name: 'waiting_rows',
      help: 'Rows that wait',
      registers: [registry.database],
      async collect() {
        readings += 1
        await database.query('select 1')
        this.set(7)
      },
    })
    return registry
  }

  it('has the process’s counters and the database’s gauges', async () => {
    const text = await metrics.metrics()
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['work_total 3', 'waiting_rows 7', 'countinghouse_database_up 1', 'countinghouse_ready 1']),
    )
  })

  it('has the process’s counters, and says why the rest is missing, while the database is away', async () => {
    const away = openDatabase('postgres://nobody@127.0.0.1:9/nothing', { max: 1 })
    const text = await metricsOf(away).metrics()
    await away.end()
    expect(text.split('\n')).toEqual(expect.arrayContaining(['work_total 3', 'countinghouse_database_up 0', 'countinghouse_ready 0']))
    expect(text).not.toContain('waiting_rows')
  })

  it('omits only a gauge that fails, and reports the failure', async () => {
    new Gauge({
      name: 'broken_rows',
      help: 'Rows that cannot be counted',
      registers: [metrics.database],
      collect: () => Promise.reject(new Error('statement timeout')),
    })
    const text = await metrics.metrics()
    expect(text.split('\n')).toEqual(expect.arrayContaining(['waiting_rows 7', 'countinghouse_database_up 1']))
    expect(text).not.toContain('broken_rows')
    expect(failures).toEqual([new Error('statement timeout')])
  })

  it('as text and as values reads the database once', async () => {
    await metrics.metrics()
    expect((await metrics.getMetricsAsJSON()).map(({ name }) => name)).toContain('waiting_rows')
    expect(readings).toBe(1)
  })

  it('does not wait for a database that hangs', async () => {
    const all = await Promise.all(Array.from({ length: home.database.options.max ?? 10 }, () => home.database.connect()))
    const text = await metrics.metrics()
    for (const client of all) client.release()
    expect(text.split('\n')).toEqual(expect.arrayContaining(['work_total 3', 'countinghouse_database_up 0']))
  })

  it('by many at once, and one right after, read the database once', async () => {
    await Promise.all(Array.from({ length: 50 }, () => metrics.metrics()))
    await metrics.metrics()
    expect(readings).toBe(1)
  })

  it('reports a database that answers but is read-only', async () => {
    const { rows } = await home.database.query<{ name: string }>('select current_database() as name')
    await home.database.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`)
    const readOnly = openDatabase(home.url, { max: 1 })
    const text = await metricsOf(readOnly).metrics()
    await readOnly.end()
    expect(text.split('\n')).toEqual(expect.arrayContaining(['countinghouse_database_up 1', 'countinghouse_ready 0']))
  })
})

describe('the metrics of the service', () => {
  it.skipIf(lacksPromtool)(`have valid names, units and help according to promtool${promtoolNote}`, async () => {
    const { text, names } = await allFamilies(home.database)
    expect(names.length).toBeGreaterThan(40)
    for (const name of names) expect(text).toMatch(new RegExp(`^${name}(_count)?[ {]`, 'm'))
    expect(promtool(['check', 'metrics'], text)).toEqual({ code: 0, output: '' })
  })

  it('carry no label for a tenant, a company, a connection or an address', async () => {
    const { text } = await allFamilies(home.database)
    const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, label]) => label))
    expect([...labels].toSorted()).toEqual(
      ['category', 'connector', 'key', 'kind', 'le', 'limit', 'major', 'method', 'minor', 'patch', 'place', 'reason', 'result', 'role']
        .concat(['route', 'space', 'state', 'status', 'status_class', 'table', 'type', 'version'])
        .toSorted(),
    )
  })
})
