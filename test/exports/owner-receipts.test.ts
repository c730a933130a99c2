import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApi } from '../../src/api/server.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { deliverExport, eraseDelivered } from '../../src/sync/exports/deliver-export.ts'
import { runExport } from '../../src/sync/exports/run-export.ts'
import { COMPLETE_RECEIPTS, completeReceipts } from '../../src/sync/owner/complete-receipts.ts'
import type { LoadedPage } from '../connect/kit/owner.ts'
import { LOGIN, type SftpServer, serveSftp } from '../file-feeds/sftp-server.ts'
import { apiDeps } from '../harness/app/api-deps.ts'
import { signalOf, takeJobs } from '../harness/app/jobs.ts'
import { isS3Missing, S3_PROGRAM, serveS3 } from '../harness/app/s3-server.ts'
import { addUser, tokenOf } from '../harness/app/users.ts'
import { openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { type OwnerPageHarness, openOwnerPageHarness } from '../owner/harness.ts'
import { openTargetDatabase, runReplications, type TargetDatabase, toDestination } from '../replication/harness.ts'

const lacksS3 = isS3Missing('copies of an owner’s data are not deleted at')
/** The service goes on trying for a day. */
const AFTER_DEADLINE_MS = 25 * 3_600_000

const keys = openForTests(testKeys)
const harness = openForTests(() => openOwnerPageHarness({ keys }))
const app = openForTests(() => createApi(apiDeps({ sync: harness.connectHarness.deps, keys, allowPrivate: true })))
let authorization: string
let root: string
let sftp: SftpServer
let storage: Awaited<ReturnType<typeof serveS3>> | null = null
let kept: TargetDatabase | null = null
let lost: TargetDatabase | null = null
const egress = createEgress({ allowPrivate: true })
const files: { destinationId: string; exportId: string }[] = []

beforeAll(async () => {
  await addUser(harness.connectHarness.deps.database, harness.connectHarness.instanceId, { role: 'admin', email: 'admin@example.com' })
  authorization = `Bearer ${await tokenOf(app, 'admin@example.com')}`
  root = await mkdtemp(join(tmpdir(), 'countinghouse-sftp-'))
  sftp = await serveSftp(root)
  if (!lacksS3) {
    storage = await serveS3()
    await fetch(`${storage.address}/lake`, { method: 'PUT' })
  }
  kept = await openTargetDatabase()
  lost = await openTargetDatabase()
})
afterAll(async () => {
  await egress.close()
  await sftp?.close()
  storage?.close()
  await kept?.drop()
  await lost?.drop()
  await rm(root, { recursive: true, force: true })
})

afterEach(() => sftp.refuseChanges(false))

const deps = () => ({ ...harness.connectHarness.deps, egress, allowPrivate: true })

async function call(method: 'POST' | 'GET' | 'DELETE', url: string, body?: object) {
  const answer = await app.inject({
    ...{ method, url: `/admin/api/v1${url}`, headers: { authorization } },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: answer.statusCode, id: answer.body === '' ? '' : String(answer.json().id), answer }
}

async function addDatabase(target: TargetDatabase | null, name: string) {
  expect((await call('POST', '/export-destinations', target ? toDestination(target, { name }) : {})).status).toBe(201)
}

async function deliver(destination: object): Promise<void> {
  const { id: destinationId } = await call('POST', '/export-destinations', destination)
  const body = { companyId: null, category: 'Banking', entity: 'Transactions', format: 'ndjson' }
  const { id: exportId } = await call('POST', '/normalized-data/exports', body)
  for (const job of await takeJobs(deps().database, 'export')) await runExport(deps(), job, signalOf(job))
  expect((await call('POST', `/normalized-data/exports/${exportId}/deliver`, { destinationId })).status).toBe(202)
  for (const job of await takeJobs(deps().database, 'deliverExport'))
    expect(await deliverExport(deps(), job, signalOf(job))).toEqual({ done: true })
  files.push({ destinationId, exportId })
}

/** Runs the completion of receipts; true once it is done. */
async function complete(waitedMs = 0): Promise<boolean> {
  const [job, ...others] = await takeJobs(deps().database, COMPLETE_RECEIPTS)
  if (!job || others.length > 0) throw new Error('there is not one job')
  const since = new Date(new Date(String(job.payload.since)).getTime() - waitedMs).toISOString()
  const { done } = await completeReceipts({ ...deps(), signing: keys.signing }, { ...job, payload: { ...job.payload, since } })
  if (!done)
    await deps().database.query('insert into jobs (instance_id, kind, key, payload) values ($1, $2, $3, $4)', [
      ...[job.instanceId, job.kind, job.key, job.payload],
    ])
  return done
}

const countRows = async (target: TargetDatabase | null) =>
  (await target?.database.query('select from countinghouse.banking_transactions'))?.rowCount ?? -1

interface Receipt {
  signed: string
  destinations?: { state: string; left: object[] }
  statement: Record<string, string[]>
}

async function readReceipt(owner: Awaited<ReturnType<OwnerPageHarness['connected']>>['owner'], page: LoadedPage): Promise<Receipt> {
  const receipt = (await (await owner.ask(page.linkTo('Download as JSON'))).json()) as Receipt
  const published = (await (await fetch(`${harness.connectHarness.origin}/connect/receipts/keys`)).json()) as JSONWebKeySet
  const { payload } = await compactVerify(receipt.signed, createLocalJWKSet(published))
  const { signed: _, ...stated } = receipt
  expect(JSON.parse(Buffer.from(payload).toString('utf8'))).toEqual(stated)
  return receipt
}

describe(`the receipt of an owner whose data was exported${lacksS3 ? ` (S3 SKIPPED: no ${S3_PROGRAM})` : ''}`, () => {
  it('says that copies are being deleted, and then where some may be left, and where not', async () => {
    const { owner, connectionId } = await harness.connected()
    await addDatabase(kept, 'Reached')
    await addDatabase(lost, 'Lost “1”')
    await runReplications(deps())
    expect([await countRows(kept), await countRows(lost)]).toEqual([7, 7])
    const login = { host: '127.0.0.1', port: sftp.port, user: LOGIN.user, password: LOGIN.password, hostKey: sftp.hostKey }
    await deliver({ kind: 'sftp', name: 'Inbound', path: '/', ...login })
    const bucket = { region: 'us-east-1', bucket: 'lake', prefix: '', accessKeyId: 'AK', secretAccessKey: 'sk' }
    if (storage) await deliver({ name: 'Lake', endpoint: storage.address, ...bucket })
    const objects = async () => {
      const found = (await readdir(root)).length
      const [, inBucket] = files
      // Whoever has no key is told of an object that is there by 403.
      const isGone = !storage || (await fetch(`${storage.address}/lake/${inBucket?.exportId}.ndjson`)).status === 404
      return [found, isGone]
    }
    expect(await objects()).toEqual([1, storage === null])
    lost?.breakAfter(0)

    const page = await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    expect(page.text).toContain('is being deleted where it was delivered')
    expect(await readReceipt(owner, page)).toMatchObject({ destinations: { state: 'being-deleted', left: [] } })
    expect(await complete(), 'nothing is deleted yet').toBe(false)
    for (const job of await takeJobs(deps().database, 'eraseDelivered')) expect(await eraseDelivered(deps(), job)).toEqual({ done: true })
    await runReplications(deps())
    expect([await objects(), await countRows(kept)]).toEqual([[0, true], 0])
    expect(await complete(), 'a database is not reached yet').toBe(false)
    expect(await complete(AFTER_DEADLINE_MS)).toBe(true)

    const later = await owner.get(page.address)
    const receipt = await readReceipt(owner, later)
    expect(receipt.destinations).toEqual({
      state: 'ended',
      left: [{ name: 'Lost “1”', kind: 'postgres', files: 0, rows: true, reason: 'The connection to the database broke off.' }],
    })
    expect(receipt.statement.en).toContain(
      'Exported data may be left at the destination “Lost “1”” (PostgreSQL): it could not be reached, or did not allow the deletion.',
    )
    expect(receipt.statement['fr-CA']?.join()).toMatch(/Il peut rester des données exportées à la destination « Lost “1” » \(PostgreSQL\)/)
    expect(later.text).toContain('Exported data may be left at the destination')
    expect(later.text).not.toContain('is being deleted where')
    expect(JSON.stringify(receipt.statement) + JSON.stringify(receipt.destinations)).not.toMatch(/127\.0\.0\.1|Reached|Inbound/)
  })

  it('says that nothing is left where every destination was emptied', async () => {
    lost?.breakAfter(null)
    const { owner, connectionId } = await harness.connected()
    await runReplications(deps())
    const page = await owner.submit(await owner.get(`/connect/yours/delete?connection=${connectionId}`))
    expect(await complete()).toBe(false)
    await runReplications(deps())
    expect([await countRows(kept), await countRows(lost)]).toEqual([0, 0])
    expect(await complete()).toBe(true)
    const receipt = await readReceipt(owner, await owner.get(page.address))
    expect(receipt.destinations).toEqual({ state: 'ended', left: [] })
    expect(receipt.statement.en?.join()).toContain('have been deleted there')
  })

  it('names a file that a server did not let go', async () => {
    const { owner, connectionId } = await harness.connected()
    await runReplications(deps())
    const { id: destinationId } = await call('GET', `/export-destinations/${files[0]?.destinationId}`)
    const { id: exportId } = await call('POST', '/normalized-data/exports', {
      ...{ companyId: null, category: 'Banking', entity: 'Accounts', format: 'csv' },
    })
    for (const job of await takeJobs(deps().database, 'export')) await runExport(deps(), job, signalOf(job))
    await call('POST', `/normalized-data/exports/${exportId}/deliver`, { destinationId })
    for (const job of await takeJobs(deps().database, 'deliverExport')) await deliverExport(deps(), job, signalOf(job))
    const page = await owner.submit(await owner.get(`/connect/yours/withdraw?connection=${connectionId}`))
    await runReplications(deps())
    sftp.refuseChanges()
    for (const job of await takeJobs(deps().database, 'eraseDelivered'))
      expect(await eraseDelivered(deps(), { ...job, attempts: MAX_ATTEMPTS })).toEqual({ done: true })
    expect(await complete()).toBe(true)
    expect((await readReceipt(owner, await owner.get(page.address))).destinations).toEqual({
      state: 'ended',
      left: [{ name: 'Inbound', kind: 'sftp', files: 1, rows: false, reason: 'The server did not allow that.' }],
    })
  })
})

describe('the audit entry of a deleted company', () => {
  it('names the destinations at which its data may be left', async () => {
    const { owner, companyId, connectionId } = await harness.connected()
    await runReplications(deps())
    lost?.breakAfter(0)
    await owner.submit(await owner.get(`/connect/yours/delete?connection=${connectionId}`))
    await harness.work()
    await runReplications(deps())
    expect((await call('DELETE', `/normalized-data/companies/${companyId}`)).status).toBe(204)
    const entries = (await call('GET', '/audit')).answer.json()
    expect(JSON.stringify(entries)).toContain(`postgres://127.0.0.1:${lost?.port}/${lost?.name}/countinghouse`)
    expect(JSON.stringify(entries)).not.toContain(`:${kept?.port}/`)
  })
})
