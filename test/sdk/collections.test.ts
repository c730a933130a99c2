import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse, eachItem } from '../../sdk/typescript/src/index.ts'
import { COLLECTIONS, listCollections } from '../../tools/collections/collections.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { isOnPath } from '../packages/podman.ts'
import { openSandbox, type Sandbox } from '../process/sandbox.ts'
import { readLogin, type Service } from '../process/service.ts'

const root = resolve(import.meta.dirname, '..', '..')
const BAKERY = '4620816365200000101'
const missing = ['newman', 'bru'].filter((program) => !isOnPath(program))
const isSkipped = missing.length > 0 && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: the collections are not tried: no ${missing.join(', ')}\n`)

it('the collections are those of the present documents; if not, npm run docs', async () => {
  const files = await listCollections()
  expect(globSync('**/*.*', { cwd: join(root, COLLECTIONS) }).sort()).toEqual([...files.keys()].sort())
  const stale = [...files].filter(([name, text]) => readFileSync(join(root, COLLECTIONS, name), 'utf8') !== text)
  expect(stale.map(([name]) => name)).toEqual([])
})

interface Sent {
  status: number
  body: Record<string, never>
}

/** Requests of a collection by operation id, sent by the program that people use it with. */
type Send = (operationIds: readonly string[], variables: Record<string, string>) => Promise<Sent[]>

describe.skipIf(isSkipped)(`the collections${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  let sandbox: Sandbox
  let folder: string
  let service: Service
  let variables: Record<string, string>

  beforeAll(async () => {
    sandbox = await openSandbox()
    service = sandbox.service
    const { email, password } = await readLogin(service.dataDir)
    variables = { baseUrl: service.baseUrl, email, password }
    folder = await mkdtemp(join(tmpdir(), 'collections-'))
    await cp(join(root, COLLECTIONS), folder, { recursive: true })
  })
  afterAll(async () => {
    await sandbox?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('take a developer from the login to accounts in Postman', () => journey(sendByNewman), 120_000)
  it('take a developer from the login to accounts in Bruno', () => journey(sendByBruno), 120_000)

  async function journey(send: Send): Promise<void> {
    const [, company, services] = await send(['login', 'createCompany', 'listServices'], variables)
    expect([company?.status, services?.status]).toEqual([201, 200])
    const api = new Countinghouse({ baseUrl: service.baseUrl, login: { email: variables.email ?? '', password: variables.password ?? '' } })
    const all = await Array.fromAsync(eachItem((page) => api.listServices({ query: page })))
    const path = { companyId: String(company?.body.id), serviceId: all.find(({ name }) => name === 'QuickBooks Online')?.id ?? '' }
    const [, link] = await send(['login', 'getConnectionLink'], { ...variables, ...path })
    await connectQuickbooks(service.baseUrl, String(link?.body.link), { realmId: BAKERY })
    await expect.poll(async () => (await api.getConnection({ path })).statusName, { timeout: 60_000 }).toBe('Structured')
    const [, accounts] = await send(['login', 'listAccountingAccounts'], { ...variables, ...path })
    expect(accounts).toMatchObject({
      status: 200,
      body: { data: expect.arrayContaining([expect.objectContaining(path.serviceId ? { serviceId: path.serviceId } : {})]) },
    })
  }

  const sendByNewman: Send = async (operationIds, given) => {
    const file = join(folder, 'countinghouse.postman_collection.json')
    const names = await Promise.all(operationIds.map(nameOf))
    const report = join(folder, 'newman.json')
    const args = [
      'run',
      file,
      ...names.flatMap((name) => ['--folder', name]),
      ...variablesOf(given),
      '--reporters',
      'json',
      '--reporter-json-export',
      report,
    ]
    await run('newman', args, folder)
    const { run: done } = JSON.parse(await readFile(report, 'utf8'))
    return done.executions.map(({ response }: { response: { code: number; stream: { data: number[] } } }) => ({
      status: response.code,
      body: JSON.parse(Buffer.from(response.stream.data).toString()),
    }))
  }

  const sendByBruno: Send = async (operationIds, given) => {
    const cwd = join(folder, 'bruno')
    const paths = operationIds.map((id) => globSync(`*/${id}.bru`, { cwd })[0] ?? id)
    const report = join(folder, 'bruno.json')
    await run('bru', ['run', ...paths, '--env', 'local', ...variablesOf(given), '--reporter-json', report], cwd)
    const [{ results }] = JSON.parse(await readFile(report, 'utf8'))
    return results.map(({ response }: { response: { status: number; data: object } }) => ({ status: response.status, body: response.data }))
  }

  async function nameOf(id: string): Promise<string> {
    const text = await readFile(join(folder, 'bruno', globSync(`*/${id}.bru`, { cwd: join(folder, 'bruno') })[0] ?? id), 'utf8')
    return /^ {2}name: (.*)$/m.exec(text)?.[1] ?? id
  }
})

function variablesOf(given: Record<string, string>): string[] {
  return Object.entries(given).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(program, args, { cwd }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${program}: ${error.stdout}\n${error.stderr}`)
  })
}
