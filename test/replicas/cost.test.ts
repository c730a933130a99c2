import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SET_UP } from '../../src/store/db/connection/session-settings.ts'
import { Replicas } from '../../src/store/db/replicas/replicas.ts'
import { openForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { lacksReplication, ReplicatedPostgres, replicationNote } from './cluster.ts'
import { MONOTONIC_CLOCKS, openApiOn } from './replica-harness.ts'

const LOG = [
  'logging_collector = on',
  `log_directory = 'log'`,
  `log_filename = 'statements.log'`,
  'log_statement = all',
  `log_line_prefix = '%a|'`,
]
/** What only reads from replicas ask. */
const OF_REPLICAS = /\b(read_marks|recent_changes|recent_changes_epoch|pg_(current|last)_wal_\w+)\b/
/** What the process asks from time to time, whichever request is under way: ended sessions each second, usage every ten. */
const PERIODIC = /\bended_sessions\b|^insert into api_usage\b/

describe.skipIf(lacksReplication)(`a deployment without DATABASE_READ_URL${replicationNote}`, () => {
  const cluster = openForTests(() => ReplicatedPostgres.open(LOG))
  const api = openForTests(() => openApiOn(cluster))
  let replicas: Replicas
  let withReplicas: FastifyInstance

  beforeAll(async () => {
    const { database } = api.syncHarness.deps
    // A replica that is away: then the primary answers everything, and is asked for what a replica would need.
    const gone = `postgres://countinghouse@127.0.0.1:${await findFreePort()}/countinghouse`
    // One mark alone, so that no other falls into a turn without replicas.
    replicas = new Replicas(database, { url: gone, maxStalenessMs: 60_000, probeIntervalMs: 3_600_000, ...MONOTONIC_CLOCKS })
    withReplicas = api.openOn({ ...api.syncHarness.deps, replicas })
  }, 180_000)
  afterAll(async () => {
    await withReplicas?.close()
    await replicas?.close()
  }, 60_000)

  /** Statements of the service that the server executes for a request, without those of the connection’s setup. */
  async function statementsOf(app: FastifyInstance, method: 'GET' | 'POST', url: string, payload?: object): Promise<string[]> {
    const [begin, end] = [`select 'begin ${randomUUID()}'`, `select 'end ${randomUUID()}'`]
    await cluster.primary.admin(begin)
    const headers = { authorization: `Bearer ${api.tokens.admin}` }
    const { statusCode } = await app.inject({ method, url: `/admin/api/v1${url}`, headers, ...(payload ? { payload } : {}) })
    expect([url, statusCode]).toEqual([url, payload ? 201 : 200])
    await cluster.primary.admin(end)
    const log = await until('the log has the request', async () => {
      const text = await readFile(join(cluster.primary.folder, 'log', 'statements.log'), 'utf8')
      return text.includes(end) ? text : null
    })
    const entries = log.slice(log.indexOf(begin), log.indexOf(end)).split(/^(?=[^\t])/m)
    const executed = entries.filter((entry) => /^countinghouse\|LOG: {2}(execute|statement)/.test(entry))
    const texts = executed.map((entry) => entry.replace(/^.*?: {2}(execute [^:]+|statement): /, '').trim())
    return texts.filter((text) => text !== SET_UP && !PERIODIC.test(text)).toSorted()
  }

  it.each<['GET' | 'POST', string]>([
    ['GET', '/normalized-data/companies'],
    ['GET', '/usage'],
    ['GET', '/audit'],
    ['POST', '/normalized-data/company'],
  ])('asks the database for nothing more than the request needs: %s %s', async (method, path) => {
    const ask = (app: FastifyInstance): Promise<string[]> =>
      statementsOf(app, method, path, method === 'POST' ? { name: `Company ${randomUUID()}` } : undefined)
    // Each once before, for what is only asked the first time.
    await ask(api.app)
    const plain = await ask(api.app)
    await ask(withReplicas)
    const more = await ask(withReplicas)
    expect(plain.filter((text) => OF_REPLICAS.test(text))).toEqual([])
    expect(more.filter((text) => OF_REPLICAS.test(text)).length, 'the comparison would show it').toBeGreaterThan(0)
    expect(plain).toEqual(more.filter((text) => !OF_REPLICAS.test(text)))
  })
})
