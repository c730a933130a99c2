import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { EXPORT_DAYS } from '../../src/sync/exports/request-export.ts'
import { folderForTests, serviceForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { runCommand, startCommand } from './run-command.ts'

const CUT_AFTER = 300

const folder = folderForTests()
const service = serviceForTests(() => ({ dataDir: join(folder.path, 'data') }))
/** Of a profile of the deployment itself. */
let env: Record<string, string>
let key: string
const closing: (() => void)[] = []

beforeAll(async () => {
  env = { XDG_CONFIG_HOME: join(folder.path, 'config') }
  await runCommand(['login', '--sandbox'], { ...env, DATA_DIR: service.dataDir, BASE_URL: service.baseUrl })
  key = JSON.parse(await readFile(join(folder.path, 'config', 'countinghouse', 'profiles.json'), 'utf8')).profiles.default.key
}, 120_000)
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

interface Cuts {
  /** Last part of the path. */
  path: string
  method?: string
  /** How many of these answers are cut; `ranges` are those that were asked for. */
  times: number
  /** Bytes of the body that arrive. */
  after: number | 'half' | 'none'
}

/** Settings of a program that reaches the deployment by a proxy, which cuts some answers off. */
async function openCuttingProxy({ path, method = 'GET', times, after }: Cuts) {
  const ranges: (string | undefined)[] = []
  const proxy = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const isCut = request.method === method && request.url?.split('?')[0]?.endsWith(path) === true
    if (isCut) ranges.push(request.headers.range)
    if (isCut && after === 'none' && ranges.length <= times) return request.socket.destroy()
    const answer = await pass(request, Buffer.concat(chunks))
    const body = Buffer.from(await answer.arrayBuffer())
    const type = answer.headers.get('content-type') ?? 'text/plain'
    response.writeHead(answer.status, answer.status === 204 ? {} : { 'content-type': type, 'content-length': body.length })
    if (!isCut || ranges.length > times) return response.end(body)
    const length = typeof after === 'number' ? after : Math.floor(body.length / 2)
    return response.write(body.subarray(0, length), () => response.destroy())
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  closing.push(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const bound = proxy.address()
  const address = `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}`
  return { ranges, address, env: { ...env, COUNTINGHOUSE_ADDRESS: address, COUNTINGHOUSE_API_KEY: key } }
}

async function pass({ url, method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<Response> {
  const { authorization = '', 'content-type': type, range } = headers
  return await fetch(`${service.baseUrl}${url}`, {
    method,
    headers: { authorization, ...(type && { 'content-type': type }), ...(range && { range }) },
    ...(body.length > 0 && { body: new Uint8Array(body) }),
  })
}

describe('an answer that breaks off', () => {
  it('of a download goes on where it stood, to the same bytes', async () => {
    const proxy = await openCuttingProxy({ path: '/file', times: 2, after: CUT_AFTER })
    const whole = await runCommand(['export', 'Banking', 'Accounts'], env)
    const to = join(folder.path, 'accounts.ndjson')
    const cut = await runCommand(['export', 'Banking', 'Accounts', '--to', to], proxy.env)
    expect([cut.code, cut.stderr]).toEqual([0, expect.stringContaining('broke the download off')])
    expect(proxy.ranges).toEqual([undefined, `bytes=${CUT_AFTER}-`, `bytes=${2 * CUT_AFTER}-`])
    expect(await readFile(to, 'utf8')).toBe(whole.stdout)
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.part'))).toEqual([])
  }, 60_000)

  it('of the connections that are watched is asked for again', async () => {
    const proxy = await openCuttingProxy({ path: '/statuses', times: 1, after: 'half' })
    const watched = await runCommand(['connections', 'watch', 'Boulangerie du Plateau'], proxy.env)
    expect([watched.code, watched.stderr]).toEqual([0, expect.stringContaining(`${proxy.address} broke its answer off: `)])
    expect(watched.stderr).toContain('It answers again.')
  }, 60_000)

  it('of the changes is asked for again, and every change is printed once', async () => {
    const proxy = await openCuttingProxy({ path: '/changes', times: 1, after: 'half' })
    const whole = await runCommand(['changes'], env)
    const cut = await runCommand(['changes'], proxy.env)
    expect([cut.code, cut.stderr]).toEqual([0, expect.stringContaining(`${proxy.address} broke its answer off: `)])
    expect(whole.stdout.length).toBeGreaterThan(1000)
    expect(cut.stdout).toBe(whole.stdout)
  }, 60_000)

  it('of a command that does not wait is a failure that says so', async () => {
    const proxy = await openCuttingProxy({ path: '/companies', times: 1, after: 'half' })
    const { code, stdout, stderr } = await runCommand(['companies'], proxy.env)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`${proxy.address} broke its answer off: `)])
  })
})

describe('an export', () => {
  it('is complete when its file is, also when the deployment keeps its copy', async () => {
    const to = join(folder.path, 'kept.ndjson')
    const proxy = await openCuttingProxy({ path: '', method: 'DELETE', times: 1, after: 'none' })
    const { code, stdout, stderr } = await runCommand(['export', 'Banking', 'Accounts', '--to', to], proxy.env)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${to}: `)])
    expect(stderr).toContain('The deployment keeps its copy for seven days, as it was not deleted: ')
    expect(proxy.ranges).toHaveLength(1)
    expect(EXPORT_DAYS).toBe(7)
  }, 60_000)

  it('that is stopped says how it is taken up, with its file and its profile', async () => {
    const proxy = await openCuttingProxy({ path: '/file', times: Number.POSITIVE_INFINITY, after: 10 })
    await runCommand(['login', proxy.address, '--profile', 'by-proxy'], { ...env, COUNTINGHOUSE_API_KEY: key })
    const to = join(folder.path, 'my file.ndjson')
    const run = startCommand(['export', 'Banking', 'Accounts', '--to', to, '--profile', 'by-proxy'], env)
    closing.push(() => run.child.kill('SIGKILL'))
    await until('a download that breaks off', () => (run.printed.stderr.includes('broke the download off') ? true : null))
    run.child.kill('SIGINT')
    await run.ended
    expect([run.child.exitCode, run.printed.stderr]).toEqual([
      1,
      expect.stringMatching(/export --id \S{36} --to '\S+my file\.ndjson' --profile by-proxy\n$/),
    ])
  }, 60_000)
})
