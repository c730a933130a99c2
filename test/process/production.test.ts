import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { testDatabase } from '../harness/database.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { DatabaseProxy } from '../store/database-proxy.ts'
import { until } from './deadline.ts'
import { findFreePort, openTestFolder, runToEnd, type Service, startService } from './service.ts'

const PASSWORD = 'harbour-violet-teapot-91'

describe('in production', () => {
  const folder = folderForTests()
  const test = databaseForTests()
  let service: Service | null = null
  afterAll(async () => {
    await service?.stop()
  })

  const environment = () => ({ DATABASE_URL: test.url, ENVIRONMENT: 'production', DATA_DIR: folder.path })

  it('a first start accepts the password of the first user, and stores it in no file', async () => {
    service = await startService({ dataDir: folder.path, environment: { ...environment(), SEED_PASSWORD: PASSWORD } })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'developer@example.com', password: PASSWORD })
    expect((await fetch(`${service.baseUrl}/admin/api/v1/auth/login`, { method: 'POST', headers, body })).status).toBe(200)
    expect([existsSync(join(folder.path, 'login.json')), service.output().includes(PASSWORD)]).toEqual([false, false])
    await service.stop()
  })

  it('a start with an existing company prints no link to it and no secret, and only JSON lines', async () => {
    await test.database.query(
      `insert into companies (instance_id, id, name) select id, gen_random_uuid(), 'Boulangerie du Plateau' from instances limit 1`,
    )
    service = await startService({ dataDir: folder.path, environment: environment() })
    await service.stop()
    const lines = service.output().trimEnd().split('\n')
    expect(lines.filter((line) => !isJson(line))).toEqual([])
    expect(service.output()).not.toMatch(/token=|\/connect\?|Password/)
  })

  it('without a password its first administrator gets a single-use link, and no secret is logged', async () => {
    const empty = await testDatabase({ migrated: false })
    const own = await openTestFolder()
    const env = { DATABASE_URL: empty.url, ENVIRONMENT: 'production', DATA_DIR: own.path, SEED_EMAIL: 'avery@lender.example' }
    const started = await startService({ dataDir: own.path, environment: env })
    try {
      const link = async (...args: string[]) => await runCommand(['admin-link', '--json', ...args], { ...env, BASE_URL: started.baseUrl })
      const set = async (address: string) =>
        await post(`${started.baseUrl}/admin/api/v1/auth/new-password`, { token: address.split('#')[1], password: PASSWORD })
      const earlier = JSON.parse((await link()).stdout)
      const { address, email } = JSON.parse((await link('--email', 'Avery@lender.example')).stdout)
      expect([email, address.split('#')[0]]).toEqual(['avery@lender.example', `${started.baseUrl}/portal/new-password`])
      expect([await set(earlier.address), await set(address), await set(address)], 'the earlier, the newest, again').toEqual([
        400, 204, 400,
      ])
      expect(await post(`${started.baseUrl}/admin/api/v1/auth/login`, { email, password: PASSWORD })).toBe(200)
      const { rows } = await empty.database.query('select email_proven_at from users')
      expect(rows, 'the address was not mailed to').toEqual([{ email_proven_at: null }])
      expect(started.output()).toContain('the first administrator has no password')
      expect(started.output()).not.toContain(address.split('#')[1])
      expect([(await link('--email', 'nobody@lender.example')).code, existsSync(join(own.path, 'login.json'))]).toEqual([2, false])
    } finally {
      await started.stop()
      await empty.drop()
      await own.remove()
    }
  })

  it('the log of a stop contains no stack trace', async () => {
    service = await startService({ dataDir: folder.path, environment: environment() })
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    expect(service.output()).not.toContain('stack')
    service = null
  })

  it('a database across a network is only used with encryption, unless the operator says otherwise', async () => {
    const empty = await testDatabase({ migrated: false })
    const byTcp = await DatabaseProxy.open(empty.url)
    // Linux treats this address as the machine itself, but nothing in the URL says so.
    const url = byTcp.url.replace('127.0.0.1', '0.0.0.0')
    const { code, stderr } = await runToEnd({ ...environment(), DATABASE_URL: url, PORT: String(await findFreePort()) })
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not encrypted: add sslmode=verify-full to DATABASE_URL')])
    expect((await empty.database.query(`select from pg_tables where schemaname = 'public'`)).rows).toEqual([])
    const own = await openTestFolder()
    const inClear = { ...environment(), DATA_DIR: own.path, DATABASE_URL: `${url}?sslmode=disable`, SEED_PASSWORD: PASSWORD }
    for (const [setting, what] of [
      ['DATABASE_DIRECT_URL', 'connections past the pooler'],
      ['DATABASE_READ_URL', 'connections to replicas'],
    ] as const) {
      const refused = await runToEnd({ ...inClear, [setting]: url, PORT: String(await findFreePort()) })
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining(`${what} are not encrypted: add sslmode=verify-full to ${setting}`),
      ])
    }
    const onPurpose = `${url}?sslmode=disable`
    const environmentOnPurpose = { ...inClear, DATABASE_DIRECT_URL: onPurpose, DATABASE_READ_URL: onPurpose }
    const started = await startService({ dataDir: own.path, environment: environmentOnPurpose })
    await started.stop()
    byTcp.close()
    await own.remove()
    await empty.drop()
  })

  it('an error in sources.json is reported before the database is touched', async () => {
    const empty = await testDatabase({ migrated: false })
    await writeFile(join(folder.path, 'sources.json'), '{"quikbooks": {}}')
    const { code, stderr } = await runToEnd({ ...environment(), DATABASE_URL: empty.url, PORT: String(await findFreePort()) })
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no source "quikbooks"')])
    const { rows } = await empty.database.query(`select from pg_tables where schemaname = 'public'`)
    expect(rows).toEqual([])
    await empty.drop()
  })
})

describe('a sandbox with separate roles', () => {
  it('has its simulators once, with the API, and its worker announces no pages', async () => {
    const folder = await openTestFolder()
    const test = await testDatabase()
    const environment = { DATABASE_URL: test.url }
    const port = await findFreePort()
    const api = await startService({ dataDir: folder.path, port, environment: { ...environment, ROLE: 'api' } })
    const worker = await startService({ dataDir: folder.path, port, environment: { ...environment, ROLE: 'worker' } })
    expect(api.output().match(/ Simulator /g)?.length).toBeGreaterThan(30)
    expect(worker.output()).not.toMatch(/Simulator|Portal|Login/)
    if (process.platform === 'linux') expect([...new Set(nicenessOf(worker.pid))], 'the API goes first').toEqual([10])
    if (process.platform === 'linux') expect(nicenessOf(api.pid)).toContain(0)
    const simulator = /Simulator +(\S+) +\(plaid\)/.exec(api.output())?.[1] ?? ''
    // The worker reads the directory of banks from the API's simulator.
    await test.database.query(
      `insert into jobs (instance_id, kind, key, provider, payload) values ('00000000-0000-0000-0000-000000000000', 'directory', 'directory/plaid', 'plaid', '{"connectorKey": "plaid"}')`,
    )
    await until('banks', async () => ((await test.database.query('select from institutions limit 1')).rowCount ? true : null))
    // It also syncs the sample books, which the API connected before there was a worker.
    const read = `select from connections where connector_key = 'sage' and status = 15`
    await until('the sample books are read', async () => ((await test.database.query(read)).rowCount ? true : null))
    expect(new URL(simulator ?? '').origin).toBe(`http://127.0.0.1:${port + 1 + simulatorsBefore(api.output(), 'plaid')}`)
    await Promise.all([api.stop(), worker.stop()])
    await test.drop()
    await folder.remove()
  })

  it('ends at once if the port of a simulator is taken, and says so', async () => {
    const folder = await openTestFolder()
    const test = await testDatabase()
    const port = await findFreePort()
    const other = createServer().listen(port + 5, '127.0.0.1')
    const { code, stderr } = await runToEnd({ DATA_DIR: folder.path, PORT: String(port), DATABASE_URL: test.url, ROLE: 'api' })
    expect([code, stderr]).toEqual([1, expect.stringContaining(`the simulators need the ports behind ${port}, and one is taken`)])
    await new Promise((done) => other.close(done))
    await test.drop()
    await folder.remove()
  })
})

function simulatorsBefore(output: string, key: string): number {
  return [...output.matchAll(/Simulator +\S+ +\((\S+)\)/g)].findIndex(([, name]) => name === key)
}

async function post(url: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Nice values of all threads of a process. Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function nicenessOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
}
