import { randomUUID } from 'node:crypto'
import { CompactSign, compactVerify, createLocalJWKSet, exportJWK } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Job } from '../../src/store/jobs/jobs.ts'
import { saveReceipt } from '../../src/store/owners/receipts.ts'
import { BEING_DELETED, DELETED } from '../../src/sync/exports/left-behind.ts'
import { COMPLETE_RECEIPTS, completeReceipts, isExported, queueCompletion } from '../../src/sync/owner/complete-receipts.ts'
import { takeJobs } from '../harness/app/jobs.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { deliverFile, queueDeletion } from './delivered-files.ts'

const HOUR_MS = 3_600_000
const keys = openForTests(testKeys)
const harness = openForTests(() => openSyncHarness([], [], keys))
const query = async (text: string, values: unknown[]) => (await harness.deps.database.query(text, values)).rows

let at: { instanceId: string; companyId: string; serviceId: string; connectionId: string }
beforeEach(async () => {
  const { database } = harness.deps
  const instanceId = await addInstance(database)
  at = { instanceId, companyId: await addCompany(database, instanceId), serviceId: randomUUID(), connectionId: randomUUID() }
  await database.query('delete from jobs')
})

const deliver = (name: string, state: string, error: string | null = null, of = at) =>
  deliverFile(harness.deps.database, of, { name, state, error })
const pending = (exportId: string) => queueDeletion(harness.deps.database, exportId)

/** A replicated database that has read the change feed up to here. */
async function replicateTo(name: string, position: number): Promise<void> {
  await deliver(name, 'erased')
  await query(
    `insert into export_replications (instance_id, destination_id, pass, position)
     select instance_id, id, 2, $3 from export_destinations where instance_id = $1 and name = $2`,
    [at.instanceId, name, JSON.stringify({ isStarting: false, position })],
  )
}
/** The place in the change feed at which the data of the company ends. */
const endInFeed = (position: number) =>
  query(
    `insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind) values ($1, $2, $3, $4, $5, 'none')`,
    [...[at.instanceId, position, at.companyId, at.serviceId, at.connectionId]],
  )

interface Stated {
  destinations?: { state: string; left: object[] }
  statement: { en: string[]; 'fr-CA': string[] }
}
async function issue(
  kind: 'withdrawal' | 'deletion',
  stated: Stated,
  more: object = {},
  header: { typ?: string } = { typ: 'receipt+json' },
): Promise<void> {
  const { id: kid, privateKey } = keys.signing.newest
  const signed = await new CompactSign(Buffer.from(JSON.stringify({ ...more, ...stated })))
    .setProtectedHeader({ alg: 'EdDSA', ...header, kid: `${kid}-before` })
    .sign(privateKey)
  const { serviceId: _, ...of } = at
  await saveReceipt(harness.deps.database, { ...of, id: randomUUID(), kind, issuedAt: new Date(), serviceName: 'Books', signed })
}
const BEING: Stated = {
  destinations: { state: 'being-deleted', left: [] },
  statement: { en: ['First.', BEING_DELETED.en], 'fr-CA': ['Premièrement.', BEING_DELETED['fr-CA']] },
}
/** What the receipts of the connection say, by kind. */
async function stated(): Promise<Record<string, object>> {
  const found: Record<string, object> = {}
  const { publicKey, id } = keys.signing.newest
  const jwks = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA', kid: id }] })
  for (const { kind, signed } of await query('select kind, signed from receipts where connection_id = $1', [at.connectionId])) {
    const header = JSON.parse(Buffer.from(String(signed).split('.')[0] ?? '', 'base64url').toString())
    const isNew = header.kid === id
    if (isNew) await compactVerify(signed, jwks)
    found[kind] = { ...JSON.parse(Buffer.from(String(signed).split('.')[1] ?? '', 'base64url').toString()), typ: header.typ, isNew }
  }
  return found
}
const complete = async (waitedMs = 0) => {
  const since = new Date(Date.now() - waitedMs).toISOString()
  const { instanceId, ...payload } = at
  const job: Job = {
    id: randomUUID(),
    instanceId,
    kind: COMPLETE_RECEIPTS,
    key: '',
    attempts: 1,
    furthest: 0,
    payload: { ...payload, since },
  }
  return await completeReceipts({ ...harness.deps, signing: keys.signing }, job)
}

describe('the completion of receipts', () => {
  it('is queued once for each connection, since now', async () => {
    const other = { ...at, connectionId: randomUUID() }
    for (const one of [at, other, at]) await queueCompletion(harness.deps.database, one)
    const jobs = await takeJobs(harness.deps.database, COMPLETE_RECEIPTS)
    const { instanceId, ...payload } = at
    expect(jobs.map((job) => [job.instanceId, job.payload.connectionId]).sort()).toEqual(
      [at, other].map(({ connectionId }) => [instanceId, connectionId]).sort(),
    )
    const mine = jobs.find((job) => job.payload.connectionId === at.connectionId)
    expect(mine?.payload).toEqual({ ...payload, since: expect.any(String) })
    expect(Math.abs(Date.parse(String(mine?.payload.since)) - Date.now())).toBeLessThan(HOUR_MS)
  })

  it('says that nothing is left where everything is deleted', async () => {
    await issue('withdrawal', BEING, { id: 'R-1' })
    expect(await complete()).toEqual({ done: true })
    expect(await stated()).toEqual({
      withdrawal: {
        ...{ id: 'R-1', typ: 'receipt+json', isNew: true, destinations: { state: 'ended', left: [] } },
        statement: { en: ['First.', DELETED.en], 'fr-CA': ['Premièrement.', DELETED['fr-CA']] },
      },
    })
  })

  it('waits while something is being deleted, for a day at most, and then names where it may be left', async () => {
    await pending(await deliver('Slow', 'delivered', 'busy'))
    await deliver('Lost', 'unreached', 'gone')
    await issue('withdrawal', BEING)
    const waits = { done: false, inMs: 60_000, isFailure: false, reason: 'exported data is being deleted at destinations' }
    expect([await complete(), await complete(25 * HOUR_MS - 60_000)]).toEqual([waits, waits])
    expect(await stated()).toMatchObject({ withdrawal: { ...BEING, isNew: false } })
    expect(await complete(25 * HOUR_MS)).toEqual({ done: true })
    const found = (await stated()).withdrawal
    expect(found).toMatchObject({
      destinations: {
        state: 'ended',
        left: [
          { name: 'Slow', kind: 's3', files: 1, rows: false },
          { name: 'Lost', kind: 's3', files: 1, rows: false, reason: 'gone' },
        ],
      },
      statement: { en: ['First.', expect.stringContaining('“Slow” (S3)'), expect.stringContaining('“Lost” (S3)')] },
    })
    expect(JSON.stringify(found)).not.toMatch(/s3\.example|place|isPending/)
  })

  it('keeps a receipt without a type without one', async () => {
    await issue('withdrawal', BEING, {}, {})
    await complete()
    const [row] = await query('select signed from receipts where connection_id = $1', [at.connectionId])
    const header = JSON.parse(Buffer.from(String(row.signed).split('.')[0] ?? '', 'base64url').toString())
    expect(header).toEqual({ alg: 'EdDSA', kid: keys.signing.newest.id })
  })

  it('waits for a replicated database that has not reached the end of the data, and then names it', async () => {
    await replicateTo('Behind', 9)
    await issue('withdrawal', BEING)
    await endInFeed(10)
    expect(await isExported(harness.deps.database, at)).toBe(true)
    expect([await complete(), (await complete(25 * HOUR_MS)).done]).toMatchObject([{ done: false, inMs: 60_000 }, true])
    expect(await stated()).toMatchObject({
      withdrawal: { destinations: { state: 'ended', left: [{ name: 'Behind', rows: true, files: 0 }] } },
    })
  })

  it('is done once each replicated database has passed the end of the data', async () => {
    await replicateTo('Emptied', 10)
    await issue('withdrawal', BEING)
    await endInFeed(10)
    expect(await isExported(harness.deps.database, at), 'when the data ends it may be anywhere').toBe(true)
    expect(await complete()).toEqual({ done: true })
    expect(await stated()).toMatchObject({ withdrawal: { destinations: { state: 'ended', left: [] } } })
  })

  it('does not wait for what was given up', async () => {
    await deliver('Lost', 'unreached', 'gone')
    await issue('deletion', BEING)
    expect(await complete()).toEqual({ done: true })
    expect(await stated()).toMatchObject({ deletion: { destinations: { left: [{ name: 'Lost', reason: 'gone' }] } } })
  })

  it('leaves receipts alone that say nothing of destinations, or are complete', async () => {
    const plain: Stated = { statement: BEING.statement }
    await issue('withdrawal', plain)
    await issue('deletion', { ...plain, destinations: { state: 'ended', left: [] } })
    expect(await complete()).toEqual({ done: true })
    const found = await stated()
    expect([found.withdrawal, found.deletion]).toMatchObject([
      { ...plain, isNew: false },
      { ...plain, isNew: false },
    ])
  })
})

describe('data that was exported', () => {
  it('is that of the company at this service, which somebody has to delete', async () => {
    const has = () => isExported(harness.deps.database, at)
    expect(await has()).toBe(false)
    await deliver('Elsewhere', 'unreached', 'gone', { ...at, companyId: await addCompany(harness.deps.database, at.instanceId) })
    await deliver('Other service', 'unreached', 'gone', { ...at, serviceId: randomUUID() })
    await deliver('Deleted', 'erased')
    expect(await has()).toBe(false)
    await pending(await deliver('Here', 'delivered'))
    expect(await has()).toBe(true)
  })
})
