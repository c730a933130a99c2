import { randomUUID } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifyBody, verifyWebhook } from '../../src/webhooks/verify.ts'
import { folderForTests, serviceForTests } from '../harness/for-tests.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { until } from '../process/deadline.ts'
import { type CommandRun, runCommand, startCommand } from './run-command.ts'

const JOURNEY_LIMIT_MS = 60_000

const folder = folderForTests()
const service = serviceForTests(() => ({ dataDir: join(folder.path, 'data') }))
let env: Record<string, string>

beforeAll(() => {
  env = { XDG_CONFIG_HOME: join(folder.path, 'config') }
}, 90_000)

const run = async (...args: string[]): Promise<CommandRun> => await runCommand(args, env)
const read = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
const listReceivers = async (): Promise<unknown[]> => {
  const { key } = JSON.parse(await readFile(join(folder.path, 'config', 'countinghouse', 'profiles.json'), 'utf8')).profiles.default
  return (
    await fetch(`${service.baseUrl}/admin/api/v1/webhooks/receivers`, { headers: { authorization: `Bearer ${key}` } })
  ).json() as Promise<unknown[]>
}
async function untilPrinted(command: ReturnType<typeof startCommand>, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  return await until(`${pattern}`, () => pattern.exec(command.printed[stream])?.[1] ?? null, 30_000)
}

describe('countinghouse, for developers', () => {
  it('goes from a fresh start to the books of a company in four commands and a minute', async () => {
    const begun = performance.now()
    const settings = { DATA_DIR: service.dataDir, BASE_URL: service.baseUrl }
    const login = await runCommand(['login', '--sandbox'], { ...env, ...settings })
    expect([login.stdout, login.code]).toEqual([`Logged in to ${service.baseUrl} as profile default.\n`, 0])

    expect((await run('companies', 'add', 'Maple Bakery', '--country', 'CA')).code).toBe(0)

    const link = startCommand(['link', 'Maple Bakery', 'QuickBooks Online', '--wait'], env)
    const address = await untilPrinted(link, 'stdout', /(http\S+)/)
    await connectQuickbooks(service.baseUrl, address, { realmId: '4620816365200000101' })
    await link.ended
    expect([link.child.exitCode, link.printed.stdout]).toEqual([0, expect.stringContaining('Structured')])

    const books = await run('export', 'Accounting', 'Accounts', '--company', 'Maple Bakery')
    const accounts = books.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([books.code, accounts.length > 5, typeof accounts[0].name]).toEqual([0, true, 'string'])
    expect(performance.now() - begun).toBeLessThan(JOURNEY_LIMIT_MS)
  }, 90_000)

  it('keeps the key in a file that only its user may read', async () => {
    const file = join(folder.path, 'config', 'countinghouse', 'profiles.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder.path, 'config', 'countinghouse'))).mode & 0o777).toBe(0o700)
  })

  it('listens: verifies events and passes them on with the same signature, until Ctrl-C', async () => {
    const handled: { headers: Record<string, string>; body: string }[] = []
    const handler = createServer(async (request, response) => {
      handled.push({ headers: request.headers as Record<string, string>, body: await text(request) })
      response.writeHead(204).end()
    })
    await new Promise<void>((done) => handler.listen(0, '127.0.0.1', done))
    const bound = handler.address()
    const url = `http://127.0.0.1:${bound && typeof bound === 'object' ? bound.port : 0}/webhooks`
    try {
      const listening = startCommand(['listen', '--forward-to', url, '--json'], env)
      const secret = await untilPrinted(listening, 'stderr', /Signing secret: (whsec_\S+)/)
      expect(await listReceivers()).toHaveLength(1)
      await connectQuickbooksAgain()
      await until('an event', () => (handled.length > 0 ? true : null), 30_000)
      const [{ headers, body }] = handled as [(typeof handled)[0]]
      expect([verifyWebhook(headers, body, secret), verifyBody(body, secret)]).toEqual([true, true])
      await untilPrinted(listening, 'stdout', /(\n)/)
      const printed = JSON.parse(listening.printed.stdout.split('\n')[0] ?? '')
      expect(printed).toMatchObject({
        isGenuine: true,
        forwarded: { status: 204, isAccepted: true },
        body: { MessageType: 'NormalizedData' },
      })
      listening.child.kill('SIGINT')
      await listening.ended
      expect([listening.child.exitCode, await listReceivers()]).toEqual([0, []])
    } finally {
      handler.close()
    }
  }, 90_000)

  it('closes the receiver that a killed listen has left, and forgets none of another instance', async () => {
    const killed = startCommand(['listen'], env)
    await untilPrinted(killed, 'stderr', /Signing secret: (\S+)/)
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(await listReceivers()).toHaveLength(1)
    const foreign = join(folder.path, 'config', 'countinghouse', 'receivers', `${randomUUID()}.json`)
    await writeFile(foreign, JSON.stringify({ address: service.baseUrl, pid: killed.child.pid }))
    const next = startCommand(['listen'], env)
    await untilPrinted(next, 'stderr', /Signing secret: (\S+)/)
    expect(await listReceivers()).toHaveLength(1)
    next.child.kill('SIGINT')
    await next.ended
    expect(await listReceivers()).toHaveLength(0)
    expect(JSON.parse(await readFile(foreign, 'utf8'))).toMatchObject({ address: service.baseUrl })
  }, 60_000)

  it('lists, shows and refreshes connections', async () => {
    const [listed] = await read('connections', 'list', 'Maple Bakery')
    expect(listed).toMatchObject({ serviceName: 'QuickBooks Online', statusName: 'Structured' })
    const shown = await read('connections', 'show', 'Maple Bakery', 'quickbooks online')
    expect(shown.runs.length).toBeGreaterThan(0)
    const refreshed = await read('connections', 'refresh', 'Maple Bakery', 'QuickBooks Online', '--wait')
    expect(refreshed.state).toBe('unchanged')
    expect((await run('connections', 'watch', 'Maple Bakery')).code).toBe(0)
  }, 60_000)

  it('plants faults, moves clocks and clears them', async () => {
    expect((await read('sandbox', 'fault', 'quickbooks', await aFault(), '--times', '2')).armed).toMatchObject([{ times: 2 }])
    expect((await read('sandbox', 'clear', 'quickbooks')).armed).toEqual([])
    expect((await read('sandbox', 'clock', 'quickbooks', '2h')).clockMovedSeconds).toBe(7200)
    const wrong = await run('sandbox', 'fault', 'quickbook', 'x')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean quickbooks?')])
  }, 60_000)

  it('syncs all sources of a company, and says which cannot be read', async () => {
    const [synced] = await read('sync', 'Maple Bakery')
    expect(synced).toMatchObject({ serviceName: 'QuickBooks Online', state: 'unchanged' })
    await run('companies', 'add', 'Empty')
    const nothing = await run('sync', 'Empty')
    expect([nothing.code, nothing.stdout]).toEqual([1, 'there is no connection that can be read\n'])
  }, 60_000)

  it('prints changes from a cursor on, each once, and refuses a cursor that is cut', async () => {
    const file = join(folder.path, 'cursor.txt')
    const first = await run('changes', '--cursor-file', file, '--company', 'Maple Bakery')
    const lines = first.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([first.code, lines.length > 5]).toEqual([0, true])
    expect(new Set(lines.map(({ companyId }) => companyId)).size).toBe(1)
    const second = await run('changes', '--cursor-file', file, '--company', 'Maple Bakery')
    expect([second.code, second.stdout]).toEqual([0, ''])
    await writeFile(file, (await readFile(file, 'utf8')).trim().slice(0, -3))
    const cut = await run('changes', '--cursor-file', file, '--company', 'Maple Bakery')
    expect([cut.code, cut.stdout, cut.stderr]).toEqual([1, '', expect.stringContaining('is not a cursor of this feed')])
  }, 60_000)

  it('writes exports to files, and touches none that exists', async () => {
    const to = join(folder.path, 'accounts.csv')
    const written = await read('export', 'accounting', 'accounts', '--format', 'csv', '--to', to)
    expect((await readFile(to)).length).toBe(written.bytes)
    const again = await run('export', 'Accounting', 'Accounts', '--to', to)
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists')])
  }, 60_000)

  async function aFault(): Promise<string> {
    const simulators = await read('sandbox')
    return simulators.find(({ key }: { key: string }) => key === 'quickbooks').faults[0]
  }

  /** A second company with books, so that an event is sent. */
  async function connectQuickbooksAgain(): Promise<void> {
    await run('companies', 'add', 'Birch Books')
    const { link } = await read('link', 'Birch Books', 'QuickBooks Online')
    await connectQuickbooks(service.baseUrl, link, { realmId: '4620816365200000202' })
  }
})
