import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { type DeliveryContext, deliverExport, eraseDelivered } from '../../src/sync/exports/deliver-export.ts'
import { openApiHarness } from '../api/harness.ts'
import { runJob, takeJobs } from '../harness/app/jobs.ts'
import { isS3Missing, S3_PROGRAM, serveS3 } from '../harness/app/s3-server.ts'
import { openForTests } from '../harness/for-tests.ts'
import { download, get, PATH, request, run } from './requested.ts'

const isSkipped = isS3Missing('exports are not delivered to')
/** S3 takes no smaller ones. */
const PART_BYTES = 5 * 1024 * 1024

describe.skipIf(isSkipped)(`delivery to S3${isSkipped ? ` (SKIPPED: no ${S3_PROGRAM})` : ''}`, () => {
  const api = openForTests(openApiHarness)
  const storage = openForTests(serveS3)
  let destinationId = ''
  const egress = createEgress({ allowPrivate: true })
  beforeAll(async () => {
    const body = {
      ...{ name: 'Lake', endpoint: storage.address, region: 'us-east-1', bucket: 'lake', prefix: 'lending/' },
      ...{ accessKeyId: 'AK', secretAccessKey: 'sk-canary-7719' },
    }
    const answer = await api.call('POST', '/export-destinations', { body })
    expect([answer.statusCode, answer.body]).toEqual([201, expect.not.stringContaining('canary')])
    destinationId = (answer.json() as unknown as { id: string }).id
    // Makes the file larger than two parts.
    await api.syncHarness.deps.database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key,
         run_id, raw_index, mapping_version)
       select instance_id, company_id, service_id, entity, gen_random_uuid(), valid_from, 'n' || n, connection_id, doc, content_hash, n::text, run_id, 0, 1
       from (select * from record_versions where sort_key like 'Chequing%' limit 1) r, generate_series(1, 14999) n`,
    )
    await api.syncHarness.deps.database.query('update publications set accounts = 15000 where service_id = $1', [
      api.syncHarness.serviceId(api.bank),
    ])
  }, 120_000)
  afterAll(async () => {
    await egress.close()
  })

  async function deliver(id: string, more: Partial<DeliveryContext> = {}, attempts = 1) {
    const [job] = await takeJobs(api.syncHarness.deps.database, 'deliverExport')
    expect(job?.payload).toEqual({ exportId: id, destinationId })
    if (!job) throw new Error('no job')
    const deps = { ...api.syncHarness.deps, egress, allowPrivate: true, partBytes: PART_BYTES, ...more }
    return await runJob((claimed, signal) => deliverExport(deps, claimed, signal), { ...job, attempts })
  }

  async function begin(id: string): Promise<void> {
    expect((await api.call('POST', `${PATH}/${id}/deliver`, { body: { destinationId } })).statusCode).toBe(202)
  }

  const object = (id: string) => fetch(`${storage.address}/lake/lending/${id}.ndjson`)
  let id = ''

  it('waits for the file', async () => {
    const { shown, job } = await request(api, { category: 'Banking' })
    id = shown.id
    await begin(id)
    expect(await deliver(id)).toMatchObject({ done: false, isFailure: false })
    await run(api, job)
  })

  it('says what the storage answers, and fails after its attempts', async () => {
    await begin(id)
    expect(await deliver(id)).toMatchObject({ done: false, isFailure: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'waiting', error: 'The storage answered 404 (NoSuchBucket).' } })
    await begin(id)
    expect(await deliver(id, {}, 5)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'failed', error: expect.stringContaining('NoSuchBucket') } })
  })

  it('goes on after the last part that the storage has', async () => {
    await fetch(`${storage.address}/lake`, { method: 'PUT' })
    await begin(id)
    const die = async () => await Promise.reject(new Error('killed'))
    await expect(deliver(id, { crashPoint: die })).rejects.toThrow('killed')
    await begin(id)
    let parts = 0
    const count = async () => {
      parts += 1
    }
    expect(await deliver(id, { crashPoint: count })).toEqual({ done: true })
    const whole = (await download(api, id)).rawPayload
    expect(parts).toBe(Math.ceil(whole.length / PART_BYTES) - 1)
    expect(parts).toBeGreaterThan(0)
    expect(await get(api, id)).toMatchObject({ delivery: { state: 'delivered', error: null, objectKey: `lending/${id}.ndjson` } })
    expect(Buffer.from(await (await object(id)).arrayBuffer()).equals(whole)).toBe(true)
  }, 60_000)

  it('is deleted with its data', async () => {
    const { companyId, serviceId } = api.syncHarness
    await api.call('DELETE', `/normalized-data/company/${companyId}/data-connection/${serviceId(api.bank)}`)
    const [job] = await takeJobs(api.syncHarness.deps.database, 'eraseDelivered')
    if (!job) throw new Error('no job')
    expect(await eraseDelivered({ ...api.syncHarness.deps, egress, allowPrivate: true }, job)).toEqual({ done: true })
    expect(await get(api, id)).toMatchObject({ state: 'erased', delivery: { state: 'erased' } })
    expect((await object(id)).status).toBe(404)
  })
})
