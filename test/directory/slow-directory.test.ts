import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlaidSimulator } from '../../simulators/plaid/index.ts'
import { serveSimulator } from '../../simulators/simulator.ts'
import { createApi } from '../../src/api/server.ts'
import { mx } from '../../src/connectors/mx/index.ts'
import { plaid } from '../../src/connectors/plaid/index.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { type JobWorker, startWorker } from '../../src/jobs/worker.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { SILENT, syncDeps } from '../harness/app/sync-deps.ts'
import { addInstance } from '../harness/app/tenants.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { until } from '../process/deadline.ts'

const urlOf = (connectorKey: string) => `/admin/api/v1/normalized-data/services/${toServiceId(connectorKey)}/institutions`

const db = databaseForTests()
const simulator = openForTests(() => serveSimulator((given) => createPlaidSimulator({ ...given, institutionCount: 20 })))
let worker: JobWorker
let ask: (connectorKey?: string) => Promise<{ status: number; retryAfter: string | undefined; body: string; banks: number }>
let close: () => Promise<void>

beforeAll(async () => {
  const egress = createEgress({ allowPrivate: true })
  const simulators = { plaid: { app: { clientId: 'client', secret: 'secret' }, hosts: { api: simulator.url } } }
  const sources = createSources([plaid, mx], {
    ...{ settings: {}, simulators },
    createKit: (app, hosts) => createKit({ egress, app, hosts, now: () => new Date(), allowPrivate: true }),
  })
  const keys = await testKeys()
  const sync = syncDeps({ database: db.database, keys, sources, log: SILENT })
  const app = createApi(apiDeps({ sync, keys }))
  await addUser(db.database, await addInstance(db.database), { role: 'developer', email: 'dev@example.com' })
  const authorization = `Bearer ${await tokenOf(app, 'dev@example.com')}`
  ask = async (connectorKey = 'plaid') => {
    const { statusCode: status, headers, body } = await app.inject({ url: urlOf(connectorKey), headers: { authorization } })
    return { status, retryAfter: headers['retry-after']?.toString(), body, banks: status === 200 ? JSON.parse(body).data.length : 0 }
  }
  worker = startWorker({ database: db.database, handlers: syncHandlers(sync), concurrency: 4, onError: () => undefined })
  close = async () => {
    await worker.stop()
    await app.close()
    await egress.close()
  }
})
afterAll(async () => {
  simulator?.simulator.clearFaults()
  await close?.()
})

describe('a directory that is asked for the first time', () => {
  it('while its source does not answer, is 503 with Retry-After, never an empty list; then it is there', async () => {
    const { simulator: source } = simulator
    source.fault('slow')
    const early = await ask()
    expect(source.countHeld(), 'the source was asked, and holds its answer').toBe(1)
    expect(early).toMatchObject({ status: 503, retryAfter: '2', body: expect.stringContaining('is being read for the first time') })
    source.release()
    const answers: number[] = []
    const late = await until('the directory', async () => {
      const answer = await ask()
      answers.push(answer.status)
      return answer.status === 503 ? null : answer
    })
    expect(late).toMatchObject({ status: 200, banks: 20 })
    expect(answers.every((status) => status === 503 || status === 200)).toBe(true)
  })

  it('whose source fails is 503 with Retry-After, and there once the source has recovered', async () => {
    await db.database.query('delete from jobs')
    await db.database.query('delete from institutions')
    const { simulator: source } = simulator
    source.fault('unavailable', 100)
    for (let times = 0; times < 2; times += 1) expect(await ask()).toMatchObject({ status: 503, retryAfter: '2' })
    source.clearFaults()
    const late = await until('the directory', async () => {
      // Each time: an attempt that was under way has failed since, and waits longer.
      await db.database.query(`update jobs set run_at = clock_timestamp() where kind = 'directory'`)
      const answer = await ask()
      return answer.status === 503 ? null : answer
    })
    expect(late).toMatchObject({ status: 200, banks: 20 })
  })
})

it('a directory that nobody has keys to read is 409 as a link to its service is, never an empty list', async () => {
  expect(await ask('mx')).toMatchObject({
    status: 409,
    body: expect.stringContaining('This service is not enabled here: its keys are not set.'),
  })
})
