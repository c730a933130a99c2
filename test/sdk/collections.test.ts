import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse, eachItem } from '../../sdk/typescript/src/index.ts'
import { COLLECTIONS, listCollections, readFolders } from '../../tools/collections/collections.ts'
import type { CollectionRequest } from '../../tools/collections/requests.ts'
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
  url: string
  status: number
  body: Record<string, never>
}

/** Requests of a collection by operation id, in this order, sent by the program that people use it with. */
type Send = (operationIds: readonly string[], variables: Record<string, string>) => Promise<Sent[]>

/** Requests that somebody has to fill in, or whose state no request before them makes: refused with what to do. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'what a login, a mail or an authenticator app gives': [
    ...['completeLogin', 'beginPasskeyLogin', 'resetPassword', 'confirmTwoStep', 'disableTwoStep', 'renewRecoveryCodes'],
    ...['updateSignInRules', 'resetUserTwoStep'],
  ],
  'a passkey, which a browser makes': [
    ...['beginPasskeyRegistration', 'createPasskey', 'beginPasskeyProof', 'getPasskey', 'renamePasskey', 'deletePasskey'],
  ],
  'the password of the reader, which it would change': ['changePassword'],
  'keys that the source gave': ['updateSourceKeys', 'testSourceKeys', 'deleteSourceKeys'],
  'a server of the reader': ['checkIdentityProvider', 'readFileFeedHostKeys', 'replicateToDestination'],
  'an address that an owner types': ['sendOwnerPage'],
  'a job that failed eight times': ['redriveJob', 'redriveJobs'],
  'an event that somebody receives': ['replayEvent'],
  'the session that the request before it ended': ['logout'],
}
/** Refused unless an event has come already. */
const OF_EVENTS = ['getReceivedRequest', 'replayDelivery']
const ALL_REFUSED = Object.values(REFUSED).flat().toSorted()

/** In this order at the end. */
const LAST = ['deleteReceivedRequests', 'disconnectConnection', 'createCompany', 'deleteCompany', 'endUserSessions', 'deleteUser']
const ENDS = [...LAST, 'endSession', 'logout']

/** Lists first, so that their answers are kept; then what makes something, goes on with it, changes it, and ends it. */
function rankOf({ id, method, path }: CollectionRequest): number {
  if (id === 'login') return 0
  if (ENDS.includes(id)) return 10 + ENDS.indexOf(id)
  const isOfItem = path.includes('{{') && id !== 'createSubscription'
  if (method === 'GET') return isOfItem ? 3 + path.length / 1000 : 1
  if (method === 'POST') return isOfItem ? 5 : 2
  return method === 'PUT' ? 6 : id === 'deleteReceiver' ? 10.5 : 9
}

describe.skipIf(isSkipped)(`the collections${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  let sandbox: Sandbox
  let folder: string
  let service: Service
  let variables: Record<string, string>

  // Of its own for each program, as the requests end what is there.
  async function open(): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'collections-'))
    await mkdir(join(folder, 'feeds/inbox'), { recursive: true })
    sandbox = await openSandbox({ FEEDS_DIR: join(folder, 'feeds') })
    service = sandbox.service
    const { email, password } = await readLogin(service.dataDir)
    variables = { baseUrl: service.baseUrl, email, password }
    await cp(join(root, COLLECTIONS), folder, { recursive: true })
  }
  async function close(): Promise<void> {
    await sandbox?.close()
    if (folder) await rm(folder, { recursive: true, force: true })
  }

  describe.each(['Postman', 'Bruno'] as const)('for %s', (program) => {
    beforeAll(open)
    afterAll(close)
    const send: Send = async (ids, given) => await { Postman: sendByNewman, Bruno: sendByBruno }[program](ids, given)

    it('take a developer from the login to accounts', () => journey(send), 120_000)
    it('have nothing but requests that work as imported', () => everything(send), 180_000)
  })

  /** Each request once, with what the answers before it have kept and nothing else; a file is downloaded once it is there. */
  async function everything(send: Send): Promise<void> {
    const exportId = await makeExport(send)
    expect((await send(['login', 'downloadExport'], { ...variables, exportId }))[1]?.status).toBe(200)
    const requests = (await readFolders()).folders.flatMap((folder) => folder.requests).toSorted((a, b) => rankOf(a) - rankOf(b))
    const ids = requests.map(({ id }) => id).filter((id) => id !== 'downloadExport')
    const sent = await send(ids, variables)
    expect(sent.length).toBe(ids.length)
    const answers = sent.map((each, at) => ({ ...each, id: ids[at] ?? '' }))
    const refused = answers.filter(({ id, status }) => status >= 400 && !OF_EVENTS.includes(id))
    const unexpected = refused.filter(({ id }) => !ALL_REFUSED.includes(id))
    expect(unexpected.map(({ id, url, status }) => `${id}: ${status} to ${url}`)).toEqual([])
    expect(refused.map(({ id }) => id).toSorted()).toEqual(ALL_REFUSED)
  }

  /** Id of an export that is completed. */
  async function makeExport(send: Send): Promise<string> {
    const [, made] = await send(['login', 'requestExport'], variables)
    const exportId = String(made?.body.id)
    const api = new Countinghouse({ baseUrl: service.baseUrl, login: { email: variables.email ?? '', password: variables.password ?? '' } })
    await expect.poll(async () => (await api.getExport({ path: { exportId } })).state, { timeout: 60_000 }).toBe('completed')
    return exportId
  }

  async function journey(send: Send): Promise<void> {
    const [, company, services] = await send(['login', 'createCompany', 'listServices'], variables)
    expect([company?.status, services?.status]).toEqual([201, 200])
    const api = new Countinghouse({ baseUrl: service.baseUrl, login: { email: variables.email ?? '', password: variables.password ?? '' } })
    const all = await Array.fromAsync(eachItem((page) => api.listServices({ query: page })))
    const path = { companyId: String(company?.body.id), serviceId: all.find(({ name }) => name === 'QuickBooks Online')?.id ?? '' }
    const [, , link] = await send(['login', 'listServices', 'getConnectionLink'], { ...variables, companyId: path.companyId })
    await connectQuickbooks(service.baseUrl, String(link?.body.link), { realmId: BAKERY })
    await expect.poll(async () => (await api.getConnection({ path })).statusName, { timeout: 60_000 }).toBe('Structured')
    const given = { ...variables, companyId: path.companyId }
    const [, , accounts] = await send(['login', 'listCompanyConnections', 'listAccountingAccounts'], given)
    expect(accounts).toMatchObject({
      status: 200,
      body: { data: expect.arrayContaining([expect.objectContaining(path.serviceId ? { serviceId: path.serviceId } : {})]) },
    })
  }

  const sendByNewman: Send = async (operationIds, given) => {
    const collection = JSON.parse(await readFile(join(folder, 'countinghouse.postman_collection.json'), 'utf8'))
    const items: { name: string }[] = collection.item.flatMap(({ item }: { item: object[] }) => item)
    const names = await Promise.all(operationIds.map(nameOf))
    const [file, report] = [join(folder, 'ordered.json'), join(folder, 'newman.json')]
    await writeFile(file, JSON.stringify({ ...collection, item: names.map((name) => items.find((item) => item.name === name)) }))
    await run('newman', ['run', file, ...variablesOf(given), '--reporters', 'json', '--reporter-json-export', report], folder)
    const { run: done } = JSON.parse(await readFile(report, 'utf8'))
    return done.executions.map(({ request, response }: Execution) => {
      const { protocol, host, port, path } = request.url
      const url = `${protocol}://${host.join('.')}:${port}/${path.join('/')}`
      return { url, status: response.code, body: parse(Buffer.from(response.stream.data).toString()) }
    })
  }

  const sendByBruno: Send = async (operationIds, given) => {
    const cwd = join(folder, 'bruno')
    const paths = operationIds.map((id) => globSync(`*/${id}.bru`, { cwd })[0] ?? id)
    const report = join(folder, 'bruno.json')
    await run('bru', ['run', ...paths, '--env', 'local', ...variablesOf(given), '--reporter-json', report], cwd)
    const [{ results }] = JSON.parse(await readFile(report, 'utf8'))
    return results.map(({ request: { url }, response: { status, data } }: Result) => ({ url, status, body: data }))
  }

  async function nameOf(id: string): Promise<string> {
    const text = await readFile(join(folder, 'bruno', globSync(`*/${id}.bru`, { cwd: join(folder, 'bruno') })[0] ?? id), 'utf8')
    return /^ {2}name: (.*)$/m.exec(text)?.[1] ?? id
  }
})

interface Execution {
  request: { url: { protocol: string; host: string[]; port: string; path: string[] } }
  response: { code: number; stream: { data: number[] } }
}

interface Result {
  request: { url: string }
  response: { status: number; data: Record<string, never> }
}

function parse(text: string): Record<string, never> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function variablesOf(given: Record<string, string>): string[] {
  return Object.entries(given).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(program, args, { cwd }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${program}: ${error.stdout}\n${error.stderr}`)
  })
}
