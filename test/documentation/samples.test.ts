import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse, eachItem } from '../../sdk/typescript/src/index.ts'
import { groupsOf } from '../../src/documentation/reference/groups.ts'
import { type Call, samplesOf } from '../../src/documentation/reference/samples.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { isOnPath } from '../packages/podman.ts'
import { openTestFolder, readLogin, type Service, startService } from '../process/service.ts'
import { type Heard, openRecorder, type Recorder } from './recorder.ts'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const PYTHON = 'sdk-python'
const missing = [PYTHON, 'curl'].filter((program) => !isOnPath(program))
const isSkipped = missing.length > 0 && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: the samples of the reference are not run: no ${missing.join(', ')}\n`)

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
/** After all others: they end what these need. */
const LAST =
  /^(logout|changePassword|end\w+|disconnect\w+|revoke\w+|updateSignInRules|updateIdentityProvider|disableTwoStep|suspend\w+)$|^delete/
/** Ends the session of the person of the samples, so that others after it find it ended. */
const ENDS_SESSION =
  /^(logout|changePassword|end\w+|delete(User|Passkey|IdentityProvider)|revokeApiKey|disableTwoStep|updateIdentityProvider|updateSignInRules)$/
/** Cannot succeed as printed, with a password, code or token that is in no document. */
const OF_SECRETS = new Set(
  [
    'login',
    'completeLogin',
    'refreshToken',
    'resetPassword',
    'beginPasskeyLogin',
    'changePassword',
    'proveIdentity',
    'beginTwoStep',
  ].concat([...['confirmTwoStep', 'disableTwoStep', 'renewRecoveryCodes', 'createPasskey', 'beginPasskeyProof', 'resetUserTwoStep']]),
)
/** Refused as printed: their examples are words to be replaced, or name what a fresh sandbox does not have. */
const REFUSED = new Set([
  ...['countEventsToReplay', 'updateOwnerPages', 'updateLogo', 'updateSourceKeys', 'sendExport', 'createExportDestination', 'armFault'],
  ...['updateSignInRules', 'checkIdentityProvider', 'updateIdentityProvider', 'readFileFeedHostKeys', 'createFileFeed'],
])

describe.skipIf(isSkipped)(`the samples of the reference${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  let folder: Awaited<ReturnType<typeof openTestFolder>>
  let work: string
  let service: Service
  let recorder: Recorder
  let calls: Call[]
  let keys: { COUNTINGHOUSE_API_KEY: string; USER_TOKEN: string }

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'samples-'))
    folder = await openTestFolder()
    const environment = { REQUESTS_PER_SESSION: '0', REQUESTS_PER_INSTANCE: '0', REQUESTS_PER_NETWORK: '0' }
    service = await startService({ dataDir: join(folder.path, 'data'), environment })
    const login = await readLogin(service.dataDir)
    const api = new Countinghouse({ baseUrl: service.baseUrl, login })
    const document = await readReferencePages()
    const served = (await (await fetch(`${service.baseUrl}/admin/api/openapi.json`)).json()) as Served
    const scopes = served.components.schemas.ApiKeyScope.enum
    const { access_token: token } = await api.login({ body: login })
    keys = { COUNTINGHOUSE_API_KEY: (await api.createApiKey({ body: { name: 'Samples', scopes } })).key, USER_TOKEN: token }
    recorder = await openRecorder(service.baseUrl, token)
    const ids = await findIds(api)
    calls = groupsOf(document).flatMap((group) => (group.isEvents ? [] : group.calls.map((call) => withIds(call, ids))))
    calls.sort((a, b) => rank(a) - rank(b))
  }, 240_000)
  afterAll(async () => {
    await recorder?.close()
    await service?.stop()
    await folder?.remove()
    await rm(work, { recursive: true, force: true })
  })

  it('run in curl, TypeScript and Python, send the same request, and are answered as the document says', async () => {
    for (const group of [calls.filter((call) => !LAST.test(idOf(call))), calls.filter((call) => LAST.test(idOf(call)))]) {
      await runShell(group)
      await runTypeScript(group)
      await runPython(group)
    }
    const wrong = calls.flatMap((call) => {
      const heard = LANGUAGES.map((language) => recorder.find(language, idOf(call)))
      return [...findDifferences(heard), ...heard.flatMap((each) => findFault(call, each))].map((fault) => `${idOf(call)}: ${fault}`)
    })
    expect(wrong).toEqual([])
    const done = calls.filter((call) => (recorder.find('curl', idOf(call))?.status ?? 500) < 300)
    expect(done.length / calls.length).toBeGreaterThan(0.6)
  }, 240_000)

  const codeOf = (language: string, call: Call) =>
    samplesOf(`${recorder.baseUrl}/${language}/${idOf(call)}`, call).find((sample) => sample.language === language)?.code ?? ''

  async function runShell(group: Call[]): Promise<void> {
    for (const call of group) {
      const isOfUser = !JSON.stringify(call.operation.security ?? '').includes('apiKey')
      const env = { PATH: process.env.PATH, TOKEN: isOfUser ? keys.USER_TOKEN : keys.COUNTINGHOUSE_API_KEY }
      await run('sh', ['-c', codeOf('curl', call)], { env, maxBuffer: 64_000_000, encoding: 'buffer' })
    }
  }

  /** As one module: the lines of each sample in a function of its own. */
  async function runTypeScript(group: Call[]): Promise<void> {
    const sdk = join(root, 'sdk/typescript/src/index.ts')
    const functions = group.map((call) => `async () => {\n${codeOf('TypeScript', call).split('\n').slice(1).join('\n')}\nreturn answer\n}`)
    const file = join(work, `samples-${group.length}.ts`)
    const script = `process.chdir(${JSON.stringify(work)})
      for (const sample of [${functions.join(',\n')}])
        await sample().catch((error: Error) => { if (error.name !== 'ApiError') console.log(error) })`
    await writeFile(file, `import { Countinghouse } from ${JSON.stringify(sdk)}\n${script}\n`)
    const { stdout } = await run(process.execPath, [file], { env: { ...process.env, ...keys } })
    expect(stdout).toBe('')
  }

  async function runPython(group: Call[]): Promise<void> {
    const file = join(work, `samples-${group.length}.json`)
    await writeFile(file, JSON.stringify(group.map((call) => codeOf('Python', call))))
    const args = [join(import.meta.dirname, 'samples.py'), file]
    const env = { ...process.env, ...keys, PYTHONPATH: join(root, 'sdk/python/src') }
    const { stdout } = await run(PYTHON, args, { env })
    expect(stdout).toBe('')
  }
})

const idOf = ({ operation }: Call) => operation.operationId
const rank = ({ method }: Call) => ['GET', 'PUT', 'POST', 'DELETE'].indexOf(method)

/** What the three heard of one operation has to be. */
function findDifferences(heard: readonly (Heard | null)[]): string[] {
  const [first, ...others] = heard.map((each) => JSON.stringify(each && [each.method, each.path, each.body, each.hasToken]))
  return others.filter((other) => other !== first).map((other) => `${other} instead of ${first}`)
}

/** An answer that a reader of the reference would not expect. */
function findFault({ operation }: Call, heard: Heard | null): string[] {
  if (heard === null) return ['was not sent']
  const id = operation.operationId
  const isRefusable = OF_SECRETS.has(id) || REFUSED.has(id) || (ENDS_SESSION.test(id) && heard.status === 401)
  const isExpected = heard.status < 400 || heard.status === 404 || heard.status === 409 || (isRefusable && heard.status < 500)
  return isExpected ? [] : [`${heard.status} ${heard.answer.slice(0, 300)}`]
}

interface Served {
  components: { schemas: { ApiKeyScope: { enum: 'data:read'[] } } }
}

type Ids = Awaited<ReturnType<typeof findIds>>

/** Ids of what a fresh sandbox has, or is given here, by the names of parameters. */
async function findIds(api: Countinghouse) {
  const { data: connections } = await api.listConnections()
  const of = async (category: 'Accounting' | 'Banking') => {
    const found = connections.find((connection) => connection.category === category)
    if (!found) return null
    const { companyId, serviceId } = found
    const path = { companyId, serviceId }
    const [account] = (await (category === 'Banking' ? api.listBankingAccounts({ path }) : api.listAccountingAccounts({ path }))).data
    const [entry] = (await (category === 'Banking' ? api.listBankingTransactions({ path }) : api.listAccountingTransactions({ path }))).data
    return { companyId, serviceId, accountId: account?.origId, transactionId: entry?.id }
  }
  const user = await api.createUser({ body: { email: 'second@example.com', name: 'Second', role: 'viewer' } })
  const key = await api.createApiKey({ body: { name: 'Spare', scopes: ['data:read'] } })
  const subscription = await api.createSubscription({
    path: { eventNameOrSubscriptionId: 'NormalizedData' },
    body: { callbackUrl: 'http://127.0.0.1:1/' },
  })
  const receiver = await api.createReceiver({ body: { event: 'NormalizedData' } })
  const services = await Array.fromAsync(eachItem((page) => api.listServices({ query: page })))
  const [simulator] = await api.listSimulators()
  return {
    accounting: await of('Accounting'),
    banking: await of('Banking'),
    directoryId: services.find(({ name }) => /Aggregator|Plaid|Flinks|Finicity/.test(name))?.id,
    others: {
      ...{ userId: user.id, keyId: key.id, subscriptionId: subscription.id, receiverId: receiver.id },
      ...{ sourceKey: 'quickbooks', key: simulator?.key, eventNameOrSubscriptionId: subscription.id },
    } as Record<string, string | undefined>,
  }
}

/** The call about what is there, where its example is about something else. */
function withIds(call: Call, { accounting, banking, directoryId, others }: Ids): Call {
  const own = /\/banking\//.test(call.path) ? banking : (accounting ?? banking)
  const known: Record<string, string | undefined> = { ...others, ...own }
  if (call.path.includes('/institutions')) known.serviceId = directoryId ?? known.serviceId
  if (idOf(call) === 'createSubscription') known.eventNameOrSubscriptionId = 'NormalizedData'
  const parameters = (call.operation.parameters ?? []).map((parameter) => {
    const value = parameter.in === 'path' ? known[parameter.name] : undefined
    if (value !== undefined) return { ...parameter, example: value }
    // In words a placeholder, which nobody sends as it stands.
    return parameter.in === 'path' ? { ...parameter, example: '00000000-0000-4000-8000-000000000001' } : parameter
  })
  return { ...call, operation: { ...call.operation, parameters } }
}
