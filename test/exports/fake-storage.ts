import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import type { Outcome } from '../../src/jobs/worker.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { eraseExportsWith } from '../../src/store/exports/exports.ts'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { abortUpload, type DeliveryContext, deliverExport, eraseDelivered, removeDelivered } from '../../src/sync/exports/deliver-export.ts'
import { openApiHarness } from '../api/harness.ts'
import { signalOf, takeJobs } from '../harness/app/jobs.ts'
import { get, PATH, request, run } from './requested.ts'

export const KINDS = ['deliverExport', 'eraseDelivered', 'removeDelivered', 'abortUpload'] as const
const UPLOAD = '<R><UploadId>u-1</UploadId></R>'
export const BUCKET = {
  name: 'Lake',
  region: 'us-east-1',
  bucket: 'lake',
  prefix: '',
  accessKeyId: 'AK',
  secretAccessKey: 'sk-canary-1187',
}

export type DeliveryHarness = Awaited<ReturnType<typeof openDeliveryHarness>>

/** API with a storage that answers as it is told, and keeps nothing. */
export async function openDeliveryHarness() {
  const egress = createEgress({ allowPrivate: true })
  const api = await openApiHarness()
  const { deps } = api.syncHarness
  const storage = {
    /** What it was asked for. */
    asked: [] as string[],
    status: 200,
    headers: {} as Record<string, string>,
    /** Runs while it takes the file or a part of it. */
    onPut: null as (() => Promise<void>) | null,
  }
  const server = createServer((incoming: IncomingMessage, reply) => {
    storage.asked.push(`${incoming.method} ${incoming.url}`)
    incoming.resume().on('end', async () => {
      try {
        if (incoming.method === 'PUT') await storage.onPut?.()
      } finally {
        reply.writeHead(storage.status, { etag: '"e"', ...storage.headers }).end(UPLOAD)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const harness = {
    api,
    storage,
    /** Without jobs and destinations of earlier tests. */
    async reset() {
      Object.assign(storage, { asked: [], status: 200, headers: {}, onPut: null })
      for (const kind of KINDS) await takeJobs(deps.database, kind)
      await deps.database.query('delete from exports')
      await deps.database.query('delete from export_destinations')
    },
    async addDestination(): Promise<string> {
      const made = await api.call('POST', '/export-destinations', { body: { ...BUCKET, endpoint } })
      return (made.json() as unknown as { id: string }).id
    },
    async written(): Promise<string> {
      const { shown, job } = await request(api, { companyId: api.syncHarness.companyId })
      await run(api, job)
      return shown.id
    },
    async begin(id: string, destinationId: string): Promise<number> {
      return (await api.call('POST', `${PATH}/${id}/deliver`, { body: { destinationId } })).statusCode
    },
    /** Runs the only job of a kind. */
    async work(kind: (typeof KINDS)[number] = 'deliverExport', attempts = 1, more: Partial<DeliveryContext> = {}): Promise<Outcome> {
      const [taken, ...others] = await takeJobs(deps.database, kind)
      if (!taken || others.length > 0) throw new Error('there is not one job')
      return await harness.handle(kind, { ...taken, attempts }, more)
    },
    async handle(kind: (typeof KINDS)[number], job: Job, more: Partial<DeliveryContext> = {}): Promise<Outcome> {
      const context = { ...deps, egress, allowPrivate: true, ...more }
      if (kind === 'deliverExport') return await deliverExport(context, job, signalOf(job))
      return await { eraseDelivered, removeDelivered, abortUpload }[kind](context, job)
    },
    async delivered(destinationId: string): Promise<string> {
      const id = await harness.written()
      expect(await harness.begin(id, destinationId)).toBe(202)
      expect(await harness.work()).toEqual({ done: true })
      expect(await get(api, id)).toMatchObject({ delivery: { state: 'delivered' } })
      return id
    },
    /** The data goes as at a disconnect. */
    async erase(): Promise<void> {
      const { instanceId, companyId } = api.syncHarness
      const at = { instanceId, companyId, serviceId: api.syncHarness.serviceId(api.books) }
      await inTransaction(deps.database, (db) => eraseExportsWith(db, at))
    },
    /** Whether a worker runs the queued job of a kind. */
    async setRunning(kind: (typeof KINDS)[number], isRunning: boolean): Promise<void> {
      await deps.database.query(
        `update jobs set state = $2, worker = case when $2 = 'running' then gen_random_uuid() end,
           lease_until = case when $2 = 'running' then now() + interval '1 hour' end where kind = $1`,
        [kind, isRunning ? 'running' : 'ready'],
      )
    },
    async status(method: string, url: string): Promise<number> {
      return (await api.call(method, url)).statusCode
    },
    async close(): Promise<void> {
      await egress.close()
      server.close()
      await api.close()
    },
  }
  return harness
}
