import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readApiDocument } from '../../tools/docs/api-document.ts'
import { GENERATED, generateTypescript } from '../../tools/sdk/generate-typescript.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { openSandbox, type Sandbox } from '../process/sandbox.ts'
import { readLogin, type Service } from '../process/service.ts'

const root = resolve(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const NODE = process.execPath
const TSC = join(root, 'node_modules/.bin/tsc')
const BAKERY = '4620816365200000101'

/** Packs as the README says, in a copy of the checkout, as two tests may pack at once. */
async function pack(checkout: string, destination: string): Promise<void> {
  const source = join(checkout, 'sdk/typescript')
  await cp(join(root, 'sdk/typescript'), source, { recursive: true, filter: (path) => !path.endsWith('/dist') })
  for (const name of ['package.json', '.npmrc']) await cp(join(root, name), join(checkout, name))
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  // Of a file that is gone from the source; packing must not take it along.
  await mkdir(join(source, 'dist'))
  await writeFile(join(source, 'dist/stale.js'), '')
  const [, words = ''] = /^npm ci && npm (pack .*)$/m.exec(await readFile(join(source, 'README.md'), 'utf8')) ?? []
  await run('npm', [...words.split(' '), '--pack-destination', destination], { cwd: checkout })
}

describe('the generated part of the TypeScript SDK', () => {
  it('is that of the present document; if not, npm run sdk', async () => {
    const document = await readApiDocument()
    const files = await generateTypescript(document)
    const checkedIn = globSync('**/*.ts', { cwd: join(root, GENERATED) }).sort()
    expect(checkedIn).toEqual([...files.keys()].sort())
    const stale = checkedIn.filter((name) => readFileSync(join(root, GENERATED, name), 'utf8') !== files.get(name))
    expect(stale).toEqual([])
    const { version } = JSON.parse(readFileSync(join(root, 'sdk/typescript/package.json'), 'utf8'))
    expect(document).toMatchObject({ info: { version } })
  })
})

describe('the package of the TypeScript SDK, in an empty project', () => {
  const project = folderForTests()
  let sandbox: Sandbox
  let service: Service
  let login: Awaited<ReturnType<typeof readLogin>>

  beforeAll(async () => {
    await pack(join(project.path, 'checkout'), project.path)
    const [filename = ''] = globSync('*.tgz', { cwd: project.path })
    const installed = join(project.path, 'node_modules/@countinghouse/sdk')
    await mkdir(installed, { recursive: true })
    await run('tar', ['-xzf', join(project.path, filename), '-C', installed, '--strip-components=1'])
    await writeFile(join(project.path, 'package.json'), '{ "private": true, "type": "module" }')
    // For the types of Node only.
    await mkdir(join(project.path, 'node_modules/@types'))
    await symlink(join(root, 'node_modules/@types/node'), join(project.path, 'node_modules/@types/node'))
    sandbox = await openSandbox()
    service = sandbox.service
    login = await readLogin(service.dataDir)
  })
  afterAll(async () => {
    await sandbox?.close()
  })

  it('holds code, types, licence and README, needs no other package and nothing of Node', async () => {
    const installed = join(project.path, 'node_modules/@countinghouse/sdk')
    const files = globSync('**/*.*', { cwd: installed }).filter((name) => !name.startsWith('dist/generated/'))
    const modules = ['client', 'errors', 'index', 'lines', 'pages', 'retries', 'session', 'webhooks', 'whole-lists']
    const code = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])
    expect(files.sort()).toEqual([...code, 'README.md', 'package.json'].sort())
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License')
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([])
    const imports = globSync('dist/**/*.js', { cwd: installed }).flatMap((name) =>
      [...readFileSync(join(installed, name), 'utf8').matchAll(/^(?:import|export) .*? from '([^']+)'|\bimport\('([^']+)'/gm)].map(
        ([, from]) => from,
      ),
    )
    expect(imports.length).toBeGreaterThan(20)
    expect(imports.filter((from) => !/^\.\.?\/.*\.js$/.test(from ?? ''))).toEqual([])
  })

  it('takes a stranger from the login to verified events, accounts, transactions and an export', async () => {
    await writeFile(join(project.path, 'journey.ts'), await readFile(join(import.meta.dirname, 'journey.ts.txt'), 'utf8'))
    await check('journey.ts')
    const script = start('journey.ts', { BASE_URL: service.baseUrl, EMAIL: login.email, PASSWORD: login.password })
    const lines: Record<string, unknown>[] = []
    for await (const line of createInterface(script.stdout)) {
      const said = JSON.parse(line)
      lines.push(said)
      if (said.link) await connectQuickbooks(service.baseUrl, said.link, { realmId: BAKERY })
    }
    expect(lines).toEqual([
      { link: expect.stringContaining('/connect') },
      { event: 'NormalizedData', signature: 'verified' },
      { accounts: expect.any(Number), transactions: expect.any(Number), distinct: lines[2]?.transactions },
      { exported: lines[2]?.transactions, streamed: lines[2]?.transactions },
    ])
    expect(lines[2]?.accounts).toBeGreaterThan(10)
    expect(lines[2]?.transactions).toBeGreaterThan(10)
  })

  it('gives the first verified event by at most 12 lines of its README', async () => {
    const readme = await readFile(join(project.path, 'node_modules/@countinghouse/sdk/README.md'), 'utf8')
    const [, block = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
    expect(block.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
    await writeFile(join(project.path, 'first.ts'), block.replace('http://127.0.0.1:8480', service.baseUrl))
    await check('first.ts')
    const script = start('first.ts', { COUNTINGHOUSE_API_KEY: await issueKey() })
    try {
      for await (const line of createInterface(script.stdout)) {
        expect(line).toMatch(/^NormalizedData/)
        break
      }
    } finally {
      script.kill('SIGKILL')
    }
  })

  /** Types of the package too: a project may check those of its libraries. */
  async function check(file: string): Promise<void> {
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'esnext',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--lib',
      'esnext,dom',
      '--ignoreConfig',
    ]
    await run(TSC, [...options, file], { cwd: project.path }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout)
    })
  }

  function start(file: string, env: Record<string, string>) {
    const script = spawn(NODE, [file], { cwd: project.path, env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
    void once(script, 'close')
    return script
  }

  async function issueKey(): Promise<string> {
    const { Countinghouse } = await import('../../sdk/typescript/src/index.ts')
    const api = new Countinghouse({ baseUrl: service.baseUrl, login })
    const scopes = ['companies:read', 'connections:read', 'connections:write', 'webhooks:write'] as const
    const { key } = await api.createApiKey({ body: { name: 'README', scopes: [...scopes] } })
    return key
  }
})
