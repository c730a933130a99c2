import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasCode } from '../../src/model/error-code.ts'
import { findLockHolder } from '../../src/store/embedded/directory-lock.ts'
import { runCommand } from '../cli/run-command.ts'
import { testDatabase } from '../harness/database.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { until } from './deadline.ts'
import { findFreePort, openTestFolder, readLogin, runToEnd, type Service, startService } from './service.ts'

const run = promisify(execFile)
const lacksCurl = !(process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, 'curl'))) && process.env.CI !== 'true'
const curlNote = lacksCurl ? ' (SKIPPED: no curl on this machine)' : ''

describe('a first start', () => {
  const folder = folderForTests()
  let service: Service
  /** A path that breaks unquoted shell commands. */
  let dataDir: string

  beforeAll(async () => {
    dataDir = join(folder.path, "data d'essai")
    service = await startService({ dataDir })
  })
  afterAll(async () => {
    await service?.stop()
  })

  it('is ready and healthy once it says so', async () => {
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    expect((await fetch(`${service.baseUrl}/healthz`)).status).toBe(200)
  })

  it('prints addresses that answer', async () => {
    const addresses = [...service.output().matchAll(/^ {2}(?:Docs|OpenAPI|Health) +(http\S+)/gm)].map(([, address = '']) => address)
    // The documents are built while the service runs.
    const read = async (address: string) => {
      const { status } = await fetch(address)
      return status === 503 ? null : status
    }
    const statuses = await Promise.all(addresses.map(async (address) => await until(address, () => read(address), 60_000)))
    expect(statuses).toEqual([200, 200, 200])
  }, 70_000)

  it('redirects its bare address to the portal', async () => {
    const answer = await fetch(service.baseUrl, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/portal/'])
  })

  it('prints its generated password, which it stores in a file that only the owner may read', async () => {
    const { email, password } = await readLogin(dataDir)
    expect(service.output()).toContain(`Password    ${password}  (shown this once)`)
    expect([email, password.length >= 20]).toEqual(['developer@example.com', true])
    expect(await modeOf('login.json')).toBe('600')
  })

  it('protects its keys from other users', async () => {
    const files = await readdir(join(dataDir, 'keys'))
    const modes = await Promise.all(files.map((name) => modeOf(join('keys', name))))
    expect([await modeOf('keys'), await modeOf('simulators'), files.length, [...new Set(modes)]]).toEqual(['700', '700', 3, ['600']])
  })

  it.skipIf(lacksCurl)(`prints a shell line per question, which return data of bank and books exactly as printed${curlNote}`, async () => {
    expect(linesToTry(service)).toHaveLength(8)
    await until('the books are read', async () => ((await tryLines(service)).categories.includes('Accounting 15') ? true : null))
    const { companies, services, categories, bankAccounts, institutions, bookAccounts } = await tryLines(service)
    expect([companies, services >= 5, bankAccounts, institutions > 0]).toEqual([2, true, 3, true])
    expect(categories).toEqual(['Accounting 15', 'Banking 19'])
    expect(bookAccounts).toBeGreaterThan(10)
  })

  it('prints a link that opens', async () => {
    const link = /http\S+\/connect\?\S+/.exec(service.output())?.[0] ?? ''
    const opened = await fetch(link, { redirect: 'manual' })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/connect/consent'])
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect((await fetch(`${service.baseUrl}/connect/consent`, { headers: { cookie } })).status).toBe(200)
  })

  it('refuses a second start on its data directory and is not affected by it', async () => {
    const second = await runToEnd({ DATA_DIR: dataDir, PORT: String(await findFreePort()) })
    expect([second.code, second.stderr]).toEqual([
      1,
      `another Countinghouse (pid ${service.pid}) runs on this data directory; stop it, or give this one its own DATA_DIR\n`,
    ])
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    expect(await findLockHolder(join(dataDir, 'postgres'))).toBe(service.pid)
  })

  it('refuses a port that is taken, and leaves nothing behind', async () => {
    const other = join(folder.path, 'other')
    const port = new URL(service.baseUrl).port
    const second = await runToEnd({ DATA_DIR: other, PORT: port })
    expect([second.code, second.stderr]).toEqual([1, `another program listens on 127.0.0.1:${port}; stop it, or choose another PORT\n`])
    expect(existsSync(other)).toBe(false)
  })

  it('lets a command use its PostgreSQL at the same time', async () => {
    const { code, stdout } = await runCommand(['admin-link', '--json'], { DATA_DIR: dataDir, BASE_URL: service.baseUrl })
    expect([code, JSON.parse(stdout).email]).toEqual([0, 'developer@example.com'])
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  })

  it('stops at SIGTERM with status 0, and its PostgreSQL with it', async () => {
    const postgres = Number((await run('head', ['-1', join(dataDir, 'postgres', 'cluster', 'postmaster.pid')])).stdout)
    expect(isRunning(postgres)).toBe(true)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    expect([isRunning(postgres), existsSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'))]).toEqual([false, false])
  })

  it('does not show the password again, and it still works', async () => {
    service = await startService({ dataDir })
    const login = await readLogin(dataDir)
    expect(service.output()).not.toContain(login.password)
    expect(await logIn(service, { ...login, password: 'not-this-one-91' })).toBe(401)
    expect(existsSync(join(dataDir, 'login.json'))).toBe(true)
    expect(await logIn(service, login)).toBe(200)
    expect(existsSync(join(dataDir, 'login.json')), 'after the first sign-in').toBe(false)
  })

  it.skipIf(lacksCurl)(`prints lines the second time that return the same, without duplicates${curlNote}`, async () => {
    const { companies, categories, bankAccounts, bookAccounts } = await tryLines(service)
    expect([companies, categories, bankAccounts]).toEqual([2, ['Accounting 15', 'Banking 19'], 3])
    expect(bookAccounts).toBeGreaterThan(10)
  })

  async function modeOf(name: string): Promise<string> {
    return ((await stat(join(dataDir, name))).mode & 0o777).toString(8)
  }
})

describe('a sandbox on an external PostgreSQL', () => {
  it.skipIf(lacksCurl)(`prints a line that logs in, once, and lines that still return the same after that${curlNote}`, async () => {
    const folder = await openTestFolder()
    const test = await testDatabase({ migrated: false })
    const service = await startService({ dataDir: folder.path, environment: { DATABASE_URL: test.url } })
    const [, line = ''] = /Log in as a program would.*\n\n {2}(curl .*)\n/.exec(service.output()) ?? []
    const { stdout } = await run('sh', ['-c', line])
    expect(JSON.parse(stdout)).toMatchObject({ access_token: expect.stringMatching(/^[\w-]+\./), twoStepVerify: false })
    const { companies, categories } = await tryLines(service)
    expect([companies, categories]).toEqual([2, ['Accounting 15', 'Banking 19']])
    await service.stop()
    await test.drop()
    await folder.remove()
  })
})

describe('SEED_EMAIL and SEED_PASSWORD', () => {
  const folder = folderForTests()
  const login = { email: 'lender@example.org', password: 'harbour-violet-teapot-91' }
  it('refuse a password that is easy to guess, and the next start corrects it', async () => {
    const refused = await runToEnd({ DATA_DIR: folder.path, SEED_PASSWORD: 'password123', PORT: String(await findFreePort()) })
    expect([refused.code, refused.stderr]).toEqual([1, 'SEED_PASSWORD is too easy to guess\n'])
    const environment = { SEED_EMAIL: login.email, SEED_PASSWORD: login.password }
    const service = await startService({ dataDir: folder.path, environment })
    expect(await readLogin(folder.path)).toEqual(login)
    expect([await logIn(service, login), service.output().includes(login.password)]).toEqual([200, false])
    await service.stop()
  })
})

describe('a first start without its sample books', () => {
  it.each([
    { because: 'simulators lie on private addresses, which are refused', environment: { ALLOW_PRIVATE_ADDRESSES: 'false' }, keys: null },
    {
      because: 'keys of Sage are set, so that it is no sandbox',
      environment: {},
      keys: { sage: { app: { clientId: 'ours', clientSecret: 'secret' } } },
    },
  ])('is ready, and prints no line for them: $because', async ({ environment, keys }) => {
    const folder = await openTestFolder()
    if (keys) await writeFile(join(folder.path, 'sources.json'), JSON.stringify(keys), { mode: 0o600 })
    const service = await startService({ dataDir: folder.path, environment })
    expect(linesToTry(service)).toHaveLength(7)
    expect(service.output()).not.toContain('/accountancy/')
    const { data } = JSON.parse((await (await Client.logIn(service)).ask('/normalized-data/data-connection/statuses')).body)
    expect(data.map(({ serviceName }: { serviceName: string }) => serviceName)).toEqual(['Bank files'])
    await service.stop()
    await folder.remove()
  })
})

describe('wrong settings', () => {
  it('are all reported at once, with exit status 2 and no secret in the text', async () => {
    const settings = {
      PORT: '99999',
      HOST: 'not a host',
      BASE_URL: 'ftp://x',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://root:hunter2hunter2@db/x',
      SEED_EMAIL: 'nobody',
      SEED_PASSWORD: 'short',
    }
    const { code, stdout, stderr } = await runToEnd(settings, ['--role=king'])
    expect([code, stdout]).toEqual([2, ''])
    expect(Object.keys(settings).filter((name) => !stderr.includes(`  ${name}: `))).toEqual([])
    expect(stderr.match(/^ {2}/gm)).toHaveLength(Object.keys(settings).length + 1)
    expect(stderr).not.toMatch(/hunter2|short/)
  })

  it('an unknown option is reported as a usage error', async () => {
    const { code, stdout, stderr } = await runToEnd({}, ['--rôle'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--rôle')
  })
})

function linesToTry(service: Service): string[] {
  return /Try it:\n\n((?: {2}.*\n)+)/.exec(service.output())?.[1]?.trimEnd().split('\n') ?? []
}

/** Runs all lines as printed, in one shell. */
async function tryLines(service: Service) {
  const { stdout } = await run('sh', ['-c', linesToTry(service).join("\nprintf '\\n'\n")], { maxBuffer: 10_000_000 })
  const [, companies = [], services = [], statuses = [], bankAccounts = [], _link, institutions = [], bookAccounts = []] = stdout
    .split('\n')
    .map(listOf)
  const categories = statuses.map(({ category, statusCode }) => `${category} ${statusCode}`).sort()
  return {
    companies: companies.length,
    services: services.length,
    categories,
    bankAccounts: bankAccounts.length,
    institutions: institutions.length,
    bookAccounts: bookAccounts.length,
  }
}

function listOf(text: string): { category?: string; statusCode?: number }[] {
  return JSON.parse(text || '{}').data ?? []
}

async function logIn(service: Service, login: { email: string; password: string }): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(login)
  return (await fetch(`${service.baseUrl}/admin/api/v1/auth/login`, { method: 'POST', headers, body })).status
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    throw error
  }
}
