import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { requestExport } from '../../src/sync/exports/request-export.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { subscribe } from '../../src/webhooks/subscriptions.ts'
import { apiDeps } from '../../test/harness/app/api-deps.ts'
import { openBank } from '../bank/bank.ts'
import { withChanges } from '../bank/changes.ts'
import { openDeployment, syncTenant } from '../deployment.ts'
import { printProgress } from '../progress.ts'
import { addReaders, type Reader } from '../reads/tenants.ts'

/**
 * A month of a deployment in one process, on a clock that jumps from day to day: every connection is refreshed, of which some
 * changed, every company is read, every event is delivered, and every instance exports. Prints the memory after each day.
 * Arguments: companies, days. Run it with `--expose-gc`.
 */
const [companies = 0, days = 0] = process.argv.slice(2).map(Number)
const DAY_MS = 86_400_000
const ACCOUNTS = 20
/** Page sizes, so many that the pages of a company exceed the cache. */
const PAGE_SIZES = [10, 20, 50, 100]
const CACHE_BYTES = 2_000_000

let day = 0
const deployment = await openDeployment(withChanges(openBank(ACCOUNTS), changeToday))
const receiver = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const startMs = Date.now()
const sync = { ...deployment.sync, now: () => new Date(startMs + day * DAY_MS) }
const readers = await addReaders({ ...deployment, sync }, companies)
const webhooks = { database: sync.database, sealer: sync.sealer, callbackRules: { allowPrivate: true } }
const callbackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
for (const { instanceId } of readers) await subscribe(webhooks, instanceId, { event: 'NormalizedData', callbackUrl })

const requestLimits = { perSession: 0, perInstance: 0, perNetwork: 0 }
const app = createApi(apiDeps({ sync, keys: deployment.keys, settings: { requestLimits }, pageCacheBytes: CACHE_BYTES }))
const egress = createEgress({ allowPrivate: true })
const dispatcher = new Dispatcher({ ...webhooks, egress, log: sync.log, clock: { aheadMs: () => day * DAY_MS } })
let exporting = Promise.withResolvers<void>()
let left = 0
const worker = startWorker({
  database: sync.database,
  concurrency: 8,
  handlers: {
    export: async (job, signal) => {
      const outcome = await syncHandlers(sync).export(job, signal)
      left -= 1
      if (left === 0) exporting.resolve()
      return outcome
    },
  },
  onError: (error) => exporting.reject(error),
})
const used: { heap: number; resident: number }[] = []
for (day = 1; day <= days; day++) {
  exporting = Promise.withResolvers()
  left = companies
  for (const reader of readers) await liveADay(app, reader)
  await exporting.promise
  while ((await dispatcher.runOnce()) > 0);
  globalThis.gc?.()
  used.push({ heap: process.memoryUsage().heapUsed, resident: process.memoryUsage.rss() })
  printProgress(`memory: day ${day} of ${days}, ${((used.at(-1)?.heap ?? 0) / 2 ** 20).toFixed(1)} MiB`)
}
await worker.stop()
await app.close()
receiver.closeAllConnections()
receiver.close()
await deployment.close()
process.stdout.write(`${JSON.stringify(used)}\n`)

async function liveADay(api: FastifyInstance, reader: Reader): Promise<void> {
  await syncTenant({ ...deployment, sync }, reader)
  const headers = { authorization: `Bearer ${reader.key}` }
  for (const size of PAGE_SIZES) {
    const url = `/admin/api/v1/normalized-data/${reader.companyId}/banking/accounts/${deployment.serviceId}?PageSize=${size}&PageNumber=1`
    const answer = await api.inject({ url, headers })
    if (answer.statusCode !== 200) throw new Error(`day ${day}: ${answer.statusCode} ${answer.body.slice(0, 200)}`)
  }
  const { instanceId, companyId } = reader
  const wanted = {
    instanceId,
    id: randomUUID(),
    companyId,
    category: 'Banking',
    entity: 'Accounts',
    format: 'ndjson',
    requestedBy: 'Reader',
  } as const
  await requestExport(sync, wanted, async () => undefined)
}

/** The balances of every third customer change with the day. */
function changeToday(customer: string): number | null {
  return customer.charCodeAt(customer.length - 1) % 3 === 0 ? day % 10 : null
}
