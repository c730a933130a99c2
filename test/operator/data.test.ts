import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { compactVerify } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eraseInstance } from '../../src/sync/instances/erase.ts'
import { exportInstance, TooManyExports } from '../../src/sync/instances/export.ts'
import { erasureJob } from '../harness/app/jobs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { bearerOf } from '../harness/test-api.ts'
import { fillTables, listFilledTables } from './every-table.ts'
import { operatorHarness } from './harness.ts'

const api = openForTests(operatorHarness)
let token: string
let ours: string
beforeAll(async () => {
  ;({ token } = await api.signIn())
})
beforeEach(async () => {
  ours = await api.addInstance()
})
const NAME = 'Maple Lending'
const request = (name = NAME) => api.ask<{ id: string }>('POST', `/instances/${ours}/erase`, token, { name })

/** Runs the job as the worker does, at a time when every process knows of the suspension. */
async function runErasure(erasureId: string): Promise<{ done: boolean }> {
  return await erase(erasureId, () => false)
}

async function erase(erasureId: string, isStopping: () => boolean) {
  return await eraseInstance({ ...api.deps.sync, signing: api.deps.keys.signing, settleMs: 0 }, erasureJob(erasureId), isStopping)
}

describe('an erasure', () => {
  it('deletes the instance’s rows from every table, and none of another instance', async () => {
    const { database } = api.deps
    const theirs = await api.addInstance()
    await fillTables(database, ours)
    await fillTables(database, theirs)
    const filled = await listFilledTables(database, ours)
    const before = await listFilledTables(database, theirs)
    expect(filled.length).toBeGreaterThan(50)
    const { id } = (await request()).body
    expect(await runErasure(id)).toEqual({ done: true })
    expect(await listFilledTables(database, ours)).toEqual([])
    expect(await listFilledTables(database, theirs)).toEqual(before)
    const erasure = (await api.ask<{ deleted: Record<string, number>; receipt: string }>('GET', `/erasures/${id}`, token)).body
    // Credentials are shredded before anything is deleted.
    const counted = filled.filter((name) => name !== 'instances' && name !== 'credential_versions')
    expect(Object.keys(erasure.deleted).sort()).toEqual(counted.sort())
  })

  it('asks for the name again, is started once, and cannot be undone', async () => {
    expect([(await request('Maple')).status, (await request()).status, (await request()).status]).toEqual([400, 202, 409])
    expect((await api.ask('GET', `/instances/${ours}`, token)).body).toMatchObject({ suspension: { reason: 'It is being erased' } })
    expect((await api.ask('POST', `/instances/${ours}/resume`, token)).status).toBe(409)
  })

  it('is not resumed by an operator who saw it before', async () => {
    const answers = await Promise.all([
      api.ask('POST', `/instances/${ours}/suspend`, token, { reason: 'Contract has ended' }),
      ...Array.from({ length: 8 }, (_, at) => (at === 3 ? request() : api.ask('POST', `/instances/${ours}/resume`, token))),
    ])
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect((await api.ask('GET', `/instances/${ours}`, token)).body).toMatchObject({ suspension: expect.anything() })
  })

  it('waits for revocations, and issues a receipt that anyone can verify', async () => {
    await api.deps.database.query(`insert into jobs (instance_id, kind, key) values ($1, 'revoke', 'x')`, [ours])
    const { id } = (await request()).body
    expect(await runErasure(id)).toMatchObject({ done: false })
    await api.deps.database.query(`delete from jobs where instance_id = $1`, [ours])
    expect(await runErasure(id)).toEqual({ done: true })
    const { receipt } = (await api.ask<{ receipt: string }>('GET', `/erasures/${id}`, token)).body
    const { payload, protectedHeader } = await compactVerify(receipt, ({ kid }) => {
      const key = api.deps.keys.signing.find(kid ?? '')
      if (!key) throw new Error('unknown key')
      return key.publicKey
    })
    const document: unknown = JSON.parse(Buffer.from(payload).toString())
    expect(protectedHeader.typ).toBe('countinghouse-erasure+json')
    expect(document).toMatchObject({ kind: 'instance-erasure', instance: { id: ours, name: NAME, kind: 'live' } })
    expect((await api.ask('GET', `/instances/${ours}`, token)).status).toBe(404)
    expect((await api.ask<{ data: { id: string }[] }>('GET', '/erasures', token)).body.data[0]).toMatchObject({ id, receipt })
  })

  it('killed at any point is completed by a repetition', async () => {
    await fillTables(api.deps.database, ours)
    const { id } = (await request()).body
    const checks = new Array<number>(20).values()
    expect(await erase(id, () => checks.next().done === true)).toMatchObject({
      done: false,
      isFailure: false,
      reason: 'the worker stopped',
    })
    expect(await runErasure(id)).toEqual({ done: true })
    expect(await listFilledTables(api.deps.database, ours)).toEqual([])
  })
})

describe('an export', () => {
  const fetchLines = async () => {
    const answer = await api.app.inject({ url: `/operator/api/v1/instances/${ours}/export`, headers: { authorization: `Bearer ${token}` } })
    expect(answer.headers['content-type']).toBe('application/gzip')
    return gunzipSync(answer.rawPayload)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
  }

  it('contains every row of the instance except secrets, none of another, and an end with their number', async () => {
    const { email } = await api.addUser({ instanceId: ours })
    await addCompany(api.deps.database, ours, { name: 'Boulangerie du Plateau' })
    await addCompany(api.deps.database, ours, { name: '\\x41' })
    const theirs = await addCompany(api.deps.database, await api.addInstance(), { name: 'Not ours' })
    const lines = await fetchLines()
    const [head, end] = [lines[0], lines.at(-1)]
    expect(head).toMatchObject({ format: 'countinghouse-instance', version: 1, instance: { id: ours, name: NAME, kind: 'live' } })
    expect(end).toMatchObject({ end: true, rows: { companies: 2, users: 1 } })
    const text = JSON.stringify(lines)
    expect(text).toContain('Boulangerie du Plateau')
    expect(text).toContain(email)
    const names = lines.filter(({ table }) => table === 'companies').map(({ row }) => (row as { name: string }).name)
    expect(names.toSorted(), 'also one that PostgreSQL could have printed for bytes').toEqual(['Boulangerie du Plateau', '\\x41'])
    expect(text).not.toMatch(/argon2|Not ours/)
    expect(text).not.toContain(theirs)
  })

  it('opens stored files, and lists what no key opens', async () => {
    const { sealer, database } = api.deps
    const id = randomUUID()
    await fillTables(database, ours)
    const sealed = sealer.seal({ instanceId: ours, table: 'source_files', rowId: id, column: 'sealed' }, Buffer.from('OFXHEADER:100'))
    await database.query(`update source_files set id = $2, name = 'bank.ofx', sealed = $3 where instance_id = $1`, [ours, id, sealed])
    const lines = await fetchLines()
    const file = lines.find(({ table }) => table === 'source_files')
    expect(file).toMatchObject({ row: { name: 'bank.ofx', sealed: Buffer.from('OFXHEADER:100').toString('base64') } })
    expect(lines.find(({ table }) => table === 'raw_pages')).toMatchObject({ row: { sealed: { unreadable: expect.any(String) } } })
  })

  it('leaves no entry when it is refused', async () => {
    const { deps } = api
    const exporting = [1, 2].map(() => exportInstance(deps, { id: ours, name: NAME, kind: 'live' }))
    const streams = await Promise.all(exporting)
    expect((await api.ask('GET', `/instances/${ours}/export`, token)).status).toBe(429)
    for (const stream of streams) await stream.resume().toArray()
    const { rows } = await deps.database.query(`select from audit_entries where instance_id = $1 and entry like '%instance.exported%'`, [
      ours,
    ])
    expect(rows).toEqual([])
  })

  it('is one of two at most, also of three that begin at once and wait for simulators', async () => {
    const context = { ...api.deps, readSimulators: async () => await setImmediate([]) }
    const begun = [1, 2, 3].map(async () => await exportInstance(context, { id: ours, name: NAME, kind: 'live' }))
    const answers = await Promise.allSettled(begun)
    for (const answer of answers) if (answer.status === 'fulfilled') await answer.value.resume().toArray()
    expect(answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null))).toEqual([null, null, expect.any(TooManyExports)])
  })

  it('is not available to users', async () => {
    const admin = await api.addUser({ instanceId: ours })
    const headers = await bearerOf(api, admin.email)
    expect((await api.app.inject({ url: `/operator/api/v1/instances/${ours}/export`, headers })).statusCode).toBe(401)
  })
})
