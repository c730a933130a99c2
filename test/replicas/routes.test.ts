import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { databaseTime } from '../../src/store/db/database.ts'
import { Replicas } from '../../src/store/db/replicas/replicas.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { download, get as getExport, request, run } from '../exports/requested.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { lacksReplication, type PostgresServer, ReplicatedPostgres, replicationNote } from './cluster.ts'
import { MONOTONIC_CLOCKS, openApiOn } from './replica-harness.ts'
import { ON_REPLICAS } from './routes-on-replicas.ts'

interface Process {
  app: FastifyInstance
  replicas: Replicas
  /** Servers that answered and reasons why none did, in order. */
  heard: string[]
  /** Paths of the routes that a replica may answer. */
  urls: Set<string>
}

describe.skipIf(lacksReplication)(`the API with a replica${replicationNote}`, () => {
  const cluster = openForTests(() => ReplicatedPostgres.open())
  const api = openForTests(() => openApiOn(cluster))
  let replica: PostgresServer
  let token = ''
  const processes: Process[] = []

  beforeAll(async () => {
    token = api.tokens.admin
    replica = await cluster.addReplica()
  }, 180_000)
  afterEach(async () => {
    await replica?.resumeReplay().catch(() => undefined)
    for (const { app, replicas } of processes.splice(0)) {
      await app.close()
      await replicas.close()
    }
  })

  async function open(): Promise<Process> {
    const heard: string[] = []
    const replicas = new Replicas(api.syncHarness.deps.database, {
      url: replica.url,
      maxStalenessMs: 60_000,
      probeIntervalMs: 100,
      ...MONOTONIC_CLOCKS,
      onAnswer: (name) => heard.push(name),
      onFallback: (_name, reason) => heard.push(reason),
    })
    const app = api.openOn({ ...api.syncHarness.deps, replicas })
    const urls = new Set<string>()
    app.addHook('onRoute', (route) => {
      if (route.config?.replica === true) urls.add(route.url.replace('/admin/api/v1', ''))
    })
    const process = { app, replicas, heard, urls }
    processes.push(process)
    await until('the replica answers', async () => ((await by(process, '/usage')) === replica.address ? true : null))
    return process
  }

  const call = (process: Process, method: 'GET' | 'POST' | 'DELETE', url: string, headers: Record<string, string> = {}, payload?: object) =>
    process.app.inject({
      method,
      url: `/admin/api/v1${url}`,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(payload ? { payload } : {}),
    })

  /** Who answered the last statement of a read. */
  async function by(process: Process, url: string, headers: Record<string, string> = {}): Promise<string | undefined> {
    process.heard.splice(0)
    const { statusCode } = await call(process, 'GET', url, headers)
    expect([url, statusCode]).toEqual([url, 200])
    return process.heard.at(-1)
  }

  const accounts = (query = '') =>
    `/normalized-data/${api.syncHarness.companyId}/accountancy/accounts/${api.syncHarness.serviceId(api.books)}${query}`

  it('lets it answer these routes and no other, without a statement that it refuses', async () => {
    const process = await open()
    expect([...process.urls].sort()).toEqual(ON_REPLICAS)
    const { shown, job } = await request(api)
    await run(api, job)
    const { companyId } = api.syncHarness
    const { rows } = await api.syncHarness.deps.database.query<{ id: string }>(`select id from sync_runs limit 1`)
    const fill = (url: string) =>
      url
        .replace(':companyId', companyId)
        .replace(':serviceId', api.syncHarness.serviceId(api.books))
        .replace(':runId', rows[0]?.id ?? '')
        .replace(':exportId', shown.id)
    await until('it has the export', async () =>
      (await by(process, `/normalized-data/exports/${shown.id}`)) === replica.address ? true : null,
    )
    for (const url of ON_REPLICAS) {
      process.heard.splice(0)
      const answer = await call(process, 'GET', fill(url))
      expect([url, answer.statusCode]).toEqual([url, 200])
      expect(process.heard.length, url).toBeGreaterThan(0)
      expect(process.heard, url).not.toContain('write')
      expect(process.heard, url).not.toContain('error')
      if (!url.includes('usage') && !url.includes('audit')) {
        const fromPrimary = await call(process, 'GET', fill(url), { 'cache-control': 'no-cache' })
        expect([url, answer.body]).toEqual([url, fromPrimary.body])
      }
    }
  })

  it('shows what was changed by another process, before the replica has it', async () => {
    const [one, two] = [await open(), await open()]
    await replica.pauseReplay()
    const name = `Own ${randomUUID()}`
    const created = await call(one, 'POST', '/normalized-data/company', {}, { name })
    expect(created.statusCode).toBe(201)
    const url = `/normalized-data/companies?${new URLSearchParams({ FilterQuery: `name = "${name}"` })}`
    expect((await call(two, 'GET', url)).json<{ data: unknown[] }>().data).toHaveLength(1)
    expect(two.heard.at(-1)).toBe('none')
  })

  it('notes no change of a request that was refused, and shows what a change was refused for', async () => {
    const { database } = api.syncHarness.deps
    const process = await open()
    const notes = async () => (await database.query('select grant_id, position from recent_changes order by grant_id')).rows
    const post = async (payload: object) => (await call(process, 'POST', '/normalized-data/company', {}, payload)).statusCode
    const before = await notes()
    token = api.tokens.viewer
    const statuses = [await post({ name: 'By a viewer' })]
    token = api.tokens.admin
    statuses.push(await post({ name: 7 }))
    expect([statuses, await notes()]).toEqual([[403, 400], before])
    const externalId = randomUUID()
    expect(await post({ name: 'Held already', externalId })).toBe(201)
    const created = await notes()
    expect(await post({ name: 'Held already', externalId })).toBe(409)
    expect(created).not.toEqual(before)
    expect(await notes()).not.toEqual(created)
  })

  it('downloads the audit up to the entry that was newest, although the replica does not have it yet', async () => {
    const process = await open()
    await replica.pauseReplay()
    const name = `Newest ${randomUUID()}`
    expect((await call(process, 'POST', '/normalized-data/company', {}, { name })).statusCode).toBe(201)
    const { body } = await call(process, 'GET', '/audit/download?Format=jsonl')
    expect(body.trimEnd().split('\n').at(-1)).toContain(name)
  })

  it('goes on where another process stopped, by header and by cookie, sealed for its caller', async () => {
    const [one, two, three] = [await open(), await open(), await open()]
    const before = await call(one, 'GET', '/usage')
    await replica.pauseReplay()
    await api.syncHarness.deps.database.query(`update instances set name = name`)
    const read = await call(one, 'GET', '/usage', { 'cache-control': 'no-cache' })
    const [header, cookie] = [String(read.headers['x-read-position']), String(read.headers['set-cookie'])]
    expect(cookie).toMatch(/^read-position=[\w-]{48}; Path=\/admin\/api\/v1; HttpOnly; SameSite=Strict; Max-Age=60$/)
    expect(await by(two, '/usage', { 'x-read-position': String(before.headers['x-read-position']) })).toBe(replica.address)
    expect(await by(two, '/usage', { 'x-read-position': `${header.slice(0, -2)}AA` })).toBe(replica.address)
    token = api.tokens.developer
    expect(await by(two, '/usage', { 'x-read-position': header })).toBe(replica.address)
    token = api.tokens.admin
    expect(await by(two, '/usage', { 'x-read-position': header })).toBe('behind')
    expect(await by(three, '/usage')).toBe(replica.address)
    expect(await by(three, '/usage', { cookie: cookie.split(';')[0] ?? '' })).toBe('behind')
  })

  it('reads what an export is made of from it, once it has the pin', async () => {
    const process = await open()
    const [server] = process.replicas.servers
    const { shown, job } = await request(api)
    process.heard.splice(0)
    await replica.pauseReplay()
    const pieces: string[][] = []
    const afterPiece = async (): Promise<void> => {
      pieces.push(process.heard.splice(0))
      if (pieces.length > 1) return
      // Until here the replica did not have the pin; from now on it does.
      const { end } = await process.replicas.pin()
      await replica.resumeReplay()
      await until('it has the pin', () => ((server?.mark?.position ?? 0n) >= end ? true : null))
    }
    await run(api, job, { replicas: process.replicas, pieceRecords: 2, crashPoint: afterPiece })
    expect(await getExport(api, shown.id)).toMatchObject({ state: 'completed', records: api.books.accounts.length })
    expect((await download(api, shown.id)).body.split('\n').slice(0, -1)).toHaveLength(api.books.accounts.length)
    expect(pieces[0]).not.toContain(replica.address)
    expect(pieces.slice(2).flat()).toContain(replica.address)
  })

  it('answers pages with asOf from it, and none that the primary no longer has', async () => {
    const process = await open()
    const asOf = encodeURIComponent((await databaseTime(api.syncHarness.deps.database)).toISOString())
    const url = accounts(`?asOf=${asOf}`)
    process.heard.splice(0)
    expect([(await call(process, 'GET', accounts())).statusCode, process.heard]).toEqual([200, []])
    const page = await call(process, 'GET', url)
    expect([page.statusCode, process.heard.at(-1)]).toEqual([200, replica.address])
    expect(page.json<{ data: unknown[] }>().data).toHaveLength(api.books.accounts.length)
    const lines = await call(process, 'GET', url, { accept: 'application/x-ndjson' })
    expect(lines.body.split('\n').slice(0, -1)).toHaveLength(api.books.accounts.length)
    expect((await call(process, 'GET', accounts(`?asOf=${asOf}&PageSize=10`))).statusCode).toBe(200)
    await replica.pauseReplay()
    const { instanceId, companyId, deps } = api.syncHarness
    await disconnect(deps, { instanceId, companyId, serviceId: api.syncHarness.serviceId(api.books) })
    // Another page, which no cache has.
    const other = accounts(`?asOf=${asOf}&PageSize=11`)
    const [after, wanted] = [await call(process, 'GET', other), await api.call('GET', other)]
    expect([wanted.statusCode === 200, after.statusCode, after.body]).toEqual([false, wanted.statusCode, expect.any(String)])
  })

  it('asks it for no page without asOf, and shows one that it does not have yet', async () => {
    const process = await open()
    const [server] = process.replicas.servers
    const { end } = await process.replicas.pin()
    await until('it has what was before', () => ((server?.mark?.position ?? 0n) >= end ? true : null))
    await replica.pauseReplay()
    const { syncHarness, books } = api
    await syncHarness.sync(await syncHarness.connect(books), { reason: 'first' })
    const asOf = encodeURIComponent((await databaseTime(syncHarness.deps.database)).toISOString())
    process.heard.splice(0)
    const pages = [await call(process, 'GET', accounts('?PageSize=12')), await call(process, 'GET', accounts(`?asOf=${asOf}&PageSize=12`))]
    expect(pages.map((page) => [page.statusCode, page.json<{ data: unknown[] }>().data.length])).toEqual([
      [200, books.accounts.length],
      [200, books.accounts.length],
    ])
    expect(process.heard.slice(0, 1)).toEqual([replica.address])
  })

  it('acknowledges no change that it could not note, and does nothing at all without a replica', async () => {
    const process = await open()
    const { database } = api.syncHarness.deps
    await database.query('alter table recent_changes rename to elsewhere')
    const refused = await call(process, 'POST', '/normalized-data/company', {}, { name: 'Not noted' })
    await database.query('alter table elsewhere rename to recent_changes')
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1'])
    const plain = await api.call('POST', '/normalized-data/company', { body: { name: 'Plain' } })
    const list = await api.call('GET', '/normalized-data/companies')
    expect([plain.statusCode, list.statusCode, list.headers['x-read-position']]).toEqual([201, 200, undefined])
  })
})
