import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runGuide } from '../documentation/guide-runs.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { Client } from '../journey/client.ts'
import { connectQuickbooks, uploadStatement } from '../journey/http-walks.ts'
import { isOnPath } from '../packages/podman.ts'
import { until } from '../process/deadline.ts'
import { findFreePort, type Service, startService } from '../process/service.ts'
import { guideBlock } from './guide-blocks.ts'
import { openReaderShell } from './reader-shell.ts'

const SCOPES = ['companies', 'connections', 'webhooks', 'settings'].flatMap((of) => [`${of}:read`, `${of}:write`])
const COMPLETED = {
  bash: ['--norc', '-c', 'complete -p countinghouse'],
  zsh: ['-f', '-c', 'whence -w _countinghouse'],
  fish: ['--no-config', '-c', 'string match -q "*countinghouse*" < ~/.config/fish/completions/countinghouse.fish'],
} as const

/** The guides for programs that read data and for the command, run against a sandbox as written. */
describe('the guides to the command and to reading data', () => {
  const folder = folderForTests()
  let home: string
  let service: Service
  let client: Client
  let environment: Record<string, string>
  let key: string
  const realms = ['4620816365200000101', '4620816365200000202']

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'command-guide-'))
    const shell = await openReaderShell(home)
    await shell.addCommand()
    service = await startService({ dataDir: folder.path })
    client = await Client.logIn(service)
    const { body } = await client.ask('/api-keys', {
      method: 'POST',
      body: { name: 'Guides', scopes: [...SCOPES, 'data:read', 'links:write'] },
    })
    key = Parse(Type.Object({ key: Type.String() }), JSON.parse(body)).key
    environment = { PATH: shell.PATH, DATA_DIR: folder.path, BASE_URL: service.baseUrl, BASE: service.baseUrl, KEY: key }
  })
  afterAll(async () => {
    await service?.stop()
    if (home) await rm(home, { recursive: true, force: true })
  })

  const follow = (block: string, more: { until?: RegExp; env?: Record<string, string> } = {}) =>
    runGuide({
      program: 'bash',
      args: ['-euc', block.replaceAll('npx countinghouse', 'countinghouse').replaceAll('https://data.example.com', service.baseUrl)],
      cwd: home,
      env: { ...environment, ...more.env },
      onLink: async (link) => await connectQuickbooks(service.baseUrl, link, { realmId: realms.shift() ?? '' }),
      ...(more.until ? { until: more.until } : {}),
    })

  it('go from a fresh sandbox to accounts', async () => {
    const accounts = await follow(guideBlock('cli.md', 'login --sandbox'))
    expect(accounts.match(/^\{.*"name":.*\}$/gm)?.length).toBeGreaterThan(5)
  }, 90_000)

  it('log in with a key on standard input', async () => {
    const said = await follow(`printf %s "$KEY" | ${guideBlock('cli.md', 'login https://')}`)
    expect(said).toBe(`Logged in to ${service.baseUrl} as profile default.\n`)
  })

  it('receive events, and pass them on', async () => {
    const handled: string[] = []
    const handler = createServer((request, response) => {
      handled.push(`${request.method} ${request.url}`)
      request.resume()
      response.writeHead(204).end()
    })
    const port = await findFreePort()
    await once(handler.listen(port, '127.0.0.1'), 'listening')
    const listening = follow(guideBlock('cli.md', '--forward-to').replace('127.0.0.1:3000', `127.0.0.1:${port}`), {
      until: /NormalizedData/,
    })
    const receivers = async () => JSON.parse((await client.ask('/webhooks/receivers')).body) as unknown[]
    await until('a receiver', async () => ((await receivers()).length > 0 ? true : null))
    await follow('countinghouse companies add "Birch Books"; countinghouse link "Birch Books" "QuickBooks Online" --wait')
    await listening
    await until('the handler has it', () => (handled.includes('POST /webhooks') ? true : null))
    handler.closeAllConnections()
    handler.close()
  }, 90_000)

  it('keep a copy up to date', async () => {
    const read = async () => (await readFile(join(home, 'changes.ndjson'), 'utf8')).trimEnd().split('\n').length
    await follow(guideBlock('cli.md', '--cursor-file'))
    const lines = await read()
    expect(lines).toBeGreaterThan(5)
    await follow(guideBlock('cli.md', '--cursor-file'))
    expect(await read()).toBe(lines)
  })

  describe.each(Object.entries(COMPLETED))('set up completion in %s', (shell, [norc, , check]) => {
    const isMissing = !isOnPath(shell)
    const note = isMissing ? `  SKIPPED: ${shell} is not installed` : ''
    it.skipIf(isMissing && process.env.CI !== 'true')(`with the line of the guide${note}`, () => {
      const [line = ''] = guideBlock('cli.md', 'completion bash')
        .split('\n')
        .filter((each) => each.includes(` completion ${shell}`))
      const before = { bash: '', zsh: 'autoload -U compinit; compinit -D', fish: 'mkdir -p ~/.config/fish/completions' }[shell]
      const { status, stderr } = spawnSync(shell, [norc, '-c', `${before}\n${line}\n${check}`], { env: { ...environment, HOME: home } })
      expect([status, String(stderr)]).toEqual([0, ''])
    })
  })

  it('read a whole list, a range of days, and create a destination', async () => {
    const { id: bankFiles } = await client.service('Bank files')
    const company = await client.addCompany('Nordic Bakery')
    await uploadStatement(service.baseUrl, await client.link(company, bankFiles))
    await client.connectionInStatus(company, [19])
    await follow(guideBlock('reading-data.md', 'x-ndjson'), { env: { COMPANY: company, SERVICE: bankFiles } })
    const list = (kind: string, filter: string) =>
      client.ask(`/normalized-data/${company}/banking/${kind}/${bankFiles}?FilterQuery=${encodeURIComponent(filter)}`)
    const all = await client.ask(`/normalized-data/${company}/banking/transactions/${bankFiles}`)
    const lines = (await readFile(join(home, 'transactions.ndjson'), 'utf8')).trimEnd().split('\n')
    expect([lines.length, all.total > 0]).toEqual([all.total, true])

    const [posted = '', due = ''] = guideBlock('reading-data.md', 'postedOn>=').split('\n')
    expect((await list('transactions', posted)).status).toBe(200)
    expect((await list('transactions', posted.replace('postedOn', 'postedAt'))).status, 'a misspelt field').toBe(400)
    expect((await list('accounts', due)).status).toBe(200)

    const made = await follow(guideBlock('reading-data.md', '"kind": "postgres"'))
    expect(made).toContain('"kind":"postgres"')
  }, 60_000)
})
