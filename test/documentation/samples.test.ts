import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse } from '../../sdk/typescript/src/index.ts'
import { groupsOf } from '../../src/documentation/reference/groups.ts'
import { type Call, samplesOf } from '../../src/documentation/reference/samples.ts'
import { readReferencePages } from '../../tools/docs/api-document.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { isOnPath } from '../packages/podman.ts'
import { readLogin, type Service, startService } from '../process/service.ts'
import { openRecorder, type RecordedCall, type Recorder } from './recorder.ts'
import { prepareStates, withIds } from './sample-states.ts'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const PYTHON = 'sdk-python'
const missing = [PYTHON, 'curl'].filter((program) => !isOnPath(program))
const isSkipped = missing.length > 0 && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: the samples of the reference are not run: no ${missing.join(', ')}\n`)

const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
/** After all others: they end what these need. */
const LAST =
  /^(logout|changePassword|end\w+|disconnect\w+|revoke\w+|updateSignInRules|updateIdentityProvider|disableTwoStep|suspend\w+|resume\w+)$|^delete/
/** Ends the session of the person of the samples, so that others after it find it ended. */
const ENDS_SESSION =
  /^(logout|changePassword|end\w+|delete(User|Passkey|IdentityProvider)|revokeApiKey|disableTwoStep|updateIdentityProvider|updateSignInRules)$/
/** Cannot succeed as printed in any state that a test can prepare: what they send is made by somebody else at that moment. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  'a token of a login, a mail or a session': ['completeLogin', 'beginPasskeyLogin', 'refreshToken', 'resetPassword'],
  'a code of an authenticator app': ['confirmTwoStep', 'disableTwoStep', 'renewRecoveryCodes', 'updateSignInRules', 'resetUserTwoStep'],
  'a passkey, which a browser makes for an address with a host name': [
    ...['beginPasskeyRegistration', 'createPasskey', 'beginPasskeyProof', 'getPasskey', 'renamePasskey', 'deletePasskey'],
  ],
  'keys that the source gave': ['updateSourceKeys', 'testSourceKeys', 'deleteSourceKeys'],
  'a server of the reader: an identity provider, or one of SFTP': ['checkIdentityProvider', 'readFileFeedHostKeys'],
  'an address that an owner types': ['sendOwnerPage'],
  'a job that failed eight times': ['redriveJob', 'redriveJobs'],
  'an event that somebody received': ['replayEvent'],
  'one of three parameters, of which none is required': ['countEventsToReplay'],
}
const REFUSED: ReadonlySet<string> = new Set(Object.values(OF_OTHERS).flat())

describe.skipIf(isSkipped)(`the samples of the reference${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  const work = folderForTests()
  const folder = folderForTests()
  let service: Service
  let recorder: Recorder
  let calls: Call[]
  let password: string
  let keys: { COUNTINGHOUSE_API_KEY: string; USER_TOKEN: string }

  beforeAll(async () => {
    const feeds = join(folder.path, 'feeds')
    await mkdir(join(feeds, 'caisse/releves'), { recursive: true })
    const environment = { REQUESTS_PER_SESSION: '0', REQUESTS_PER_INSTANCE: '0', REQUESTS_PER_NETWORK: '0', FEEDS_DIR: feeds }
    service = await startService({ dataDir: join(folder.path, 'data'), environment })
    const login = await readLogin(service.dataDir)
    const api = new Countinghouse({ baseUrl: service.baseUrl, login })
    const document = await readReferencePages()
    const served = (await (await fetch(`${service.baseUrl}/admin/api/openapi.json`)).json()) as Served
    const scopes = served.components.schemas.ApiKeyScope.enum
    const { access_token: token } = await api.login({ body: login })
    keys = { COUNTINGHOUSE_API_KEY: (await api.createApiKey({ body: { name: 'Samples', scopes } })).key, USER_TOKEN: token }
    recorder = await openRecorder(service.baseUrl, token)
    password = login.password
    const ids = await prepareStates(api, service, login)
    calls = groupsOf(document).flatMap((group) => (group.isEvents ? [] : group.calls.map((call) => withIds(call, ids))))
    calls.sort((a, b) => rank(a) - rank(b) || b.path.length - a.path.length)
  }, 240_000)
  afterAll(async () => {
    await recorder?.close()
    await service?.stop()
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
    const refused = calls.map(idOf).filter((id) => (recorder.find('curl', id)?.status ?? 500) >= 300)
    expect(refused.toSorted()).toEqual([...REFUSED].toSorted())
  }, 240_000)

  const codeOf = (language: string, call: Call) =>
    // As a reader does, who has a password.
    (
      samplesOf(`${recorder.baseUrl}/${language}/${idOf(call)}`, call).find((sample) => sample.language === language)?.code ?? ''
    ).replaceAll('<password>', password)

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
    const file = join(work.path, `samples-${group.length}.ts`)
    const script = `process.chdir(${JSON.stringify(work.path)})
      for (const sample of [${functions.join(',\n')}])
        await sample().catch((error: Error) => { if (error.name !== 'ApiError') console.log(error) })`
    await writeFile(file, `import { Countinghouse } from ${JSON.stringify(sdk)}\n${script}\n`)
    const { stdout } = await run(process.execPath, [file], { env: { ...process.env, ...keys } })
    expect(stdout).toBe('')
  }

  async function runPython(group: Call[]): Promise<void> {
    const file = join(work.path, `samples-${group.length}.json`)
    await writeFile(file, JSON.stringify(group.map((call) => codeOf('Python', call))))
    const args = [join(import.meta.dirname, 'samples.py'), file]
    const env = { ...process.env, ...keys, PYTHONPATH: join(root, 'sdk/python/src') }
    const { stdout } = await run(PYTHON, args, { env })
    expect(stdout).toBe('')
  }
})

const idOf = ({ operation }: Call) => operation.operationId
/** What ends the session comes last, and what undoes something after it; longer paths first. */
const ORDER = [
  /^promoteSubscriptionSecret$/,
  /^suspendConnection$/,
  /^resumeConnection$/,
  /^disconnectConnection$/,
  /^changePassword$/,
  /^logout$/,
]
const METHODS = ['GET', 'PUT', 'POST', 'DELETE']
function rank(call: Call): number {
  const [id, place] = [idOf(call), ORDER.findIndex((pattern) => pattern.test(idOf(call)))]
  if (id === 'createSubscription') return METHODS.indexOf('GET')
  return place < 0 ? METHODS.indexOf(call.method) : METHODS.length + place
}

/** What the three heard of one operation has to be. */
function findDifferences(heard: readonly (RecordedCall | null)[]): string[] {
  const [first, ...others] = heard.map((each) => JSON.stringify(each && [each.method, each.path, each.body, each.hasToken]))
  return others.filter((other) => other !== first).map((other) => `${other} instead of ${first}`)
}

/** An answer that a reader of the reference would not expect. */
function findFault({ operation }: Call, heard: RecordedCall | null): string[] {
  if (heard === null) return ['was not sent']
  const id = operation.operationId
  const isRefusable = REFUSED.has(id) || (ENDS_SESSION.test(id) && heard.status === 401)
  const isExpected = heard.status < 400 || heard.status === 404 || heard.status === 409 || (isRefusable && heard.status < 500)
  return isExpected ? [] : [`${heard.status} ${heard.answer.slice(0, 300)}`]
}

interface Served {
  components: { schemas: { ApiKeyScope: { enum: 'data:read'[] } } }
}
