import { chown, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toProblem } from '../../src/connect/http/problem.ts'
import { SpooledFile } from '../../src/connect/uploads/spooled-file.ts'
import { hasCode } from '../../src/model/error-code.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/store/embedded/postgres.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { until } from './deadline.ts'
import { readLogin, type Service, startService } from './service.ts'
import { lacksMount, mountDisk, mountNote } from './small-disk.ts'

const DISK_MB = 48
/** Each company is a row of about 8 kB. */
const MOST_COMPANIES = 4_000

describe.skipIf(lacksMount)(`a full disk${mountNote}`, () => {
  const folder = folderForTests()
  let mounted: Awaited<ReturnType<typeof mountDisk>>
  let disk: string
  let postgres: EmbeddedPostgres
  let service: Service
  let authorization: string

  beforeAll(async () => {
    await mkdir(join(folder.path, 'own'), { mode: 0o711 })
    postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, 'own') })
    mounted = await mountDisk(DISK_MB)
    disk = mounted.path
    const { uid, gid } = await stat(join(folder.path, 'own', 'postgres', 'cluster'))
    await mkdir(join(disk, 'tables'))
    await chown(disk, uid, gid)
    await chown(join(disk, 'tables'), uid, gid)
    const admin = openDatabase(postgres.adminUrl, { max: 1 })
    await admin.query(`create tablespace small location '${join(disk, 'tables')}'`)
    await admin.query('create database small owner countinghouse tablespace small')
    await admin.end()
    const url = postgres.url.replace('@/countinghouse?', '@/small?')
    service = await startService({ dataDir: join(folder.path, 'data'), environment: { DATABASE_URL: url } })
    const { email, password } = await readLogin(service.dataDir)
    const login = await ask('POST', '/auth/login', { email, password })
    authorization = `Bearer ${/"access_token":"([^"]+)"/.exec(login.body)?.[1]}`
  }, 120_000)
  afterAll(async () => {
    await service?.stop()
    await postgres?.stop()
    await mounted?.remove()
  })

  async function ask(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: string; retryAfter: string | null }> {
    const headers = { ...(authorization ? { authorization } : {}), ...(body ? { 'content-type': 'application/json' } : {}) }
    const response = await fetch(`${service.baseUrl}/admin/api/v1${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: await response.text(), retryAfter: response.headers.get('retry-after') }
  }

  const addCompany = (name: string) =>
    ask('POST', '/normalized-data/company', {
      name,
      industry: '',
      fullAddress: 'Rue Saint-Denis '.repeat(10),
      country: 'CA',
      city: 'Montréal',
    })

  it('of the database: writes are refused with 503 and the reason, reads continue, and it recovers by itself', async () => {
    expect((await addCompany('before')).status).toBe(201)
    // Fills the remaining space.
    await writeFile(join(disk, 'filler'), Buffer.alloc(DISK_MB * 1024 * 1024)).catch(ignoreFull)
    let refused = await addCompany('full 0')
    for (let count = 0; refused.status !== 503 && count < MOST_COMPANIES; count += 1) refused = await addCompany(`full ${count}`)
    expect(refused).toMatchObject({ status: 503, retryAfter: '30', body: expect.stringContaining('The disk of the database is full') })
    expect((await ask('GET', '/deployment')).status).toBe(200)
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    await rm(join(disk, 'filler'))
    expect((await addCompany('after')).status).toBe(201)
    const { body } = await ask('GET', '/normalized-data/companies')
    expect([body.includes('"before"'), body.includes('"after"'), body.includes('"full"')]).toEqual([true, true, false])
  }, 120_000)

  it('of a temporarily read-only database: writes and /readyz say so, reads continue, and it recovers', async () => {
    const admin = openDatabase(postgres.adminUrl, { max: 1 })
    const readOnly = async (value: 'on' | 'off') => {
      await admin.query(`alter database small set default_transaction_read_only = ${value}`)
      await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'small'`)
    }
    const ready = async (status: number) => ((await fetch(`${service.baseUrl}/readyz`)).status === status ? true : null)
    try {
      await readOnly('on')
      await until('/readyz fails', () => ready(503))
      // Terminated connections first cause 503 with another reason.
      const refused = await until('the reason', async () => {
        const answer = await addCompany('read-only')
        return answer.status === 503 && !answer.body.includes('The database is read-only') ? null : answer
      })
      expect(refused).toMatchObject({ status: 503, retryAfter: '30', body: expect.stringContaining('The database is read-only') })
      expect((await ask('GET', '/normalized-data/companies')).status).toBe(200)
      await readOnly('off')
      await until('/readyz recovers', () => ready(200))
      const added = await until('a write', async () => ((await addCompany('writable')).status === 201 ? true : null))
      expect(added).toBe(true)
    } finally {
      await admin.end()
    }
  }, 60_000)

  it('of uploads: the owner sees a page that asks to try again later', async () => {
    const before = process.env.TMPDIR
    process.env.TMPDIR = disk
    await writeFile(join(disk, 'filler'), Buffer.alloc(DISK_MB * 1024 * 1024)).catch(ignoreFull)
    const file = new SpooledFile('statement.ofx')
    try {
      const fault = await file.write(Buffer.alloc(1024 * 1024)).then(
        () => null,
        (error: unknown) => toProblem(error),
      )
      expect(fault).toMatchObject({ kind: 'busy' })
    } finally {
      await file.discard()
      await rm(join(disk, 'filler'))
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  })
})

/** The disk is supposed to be full. */
function ignoreFull(error: unknown): void {
  if (!hasCode(error, 'ENOSPC')) throw error
}
