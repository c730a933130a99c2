import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Countinghouse } from '../../sdk/typescript/src/index.ts'
import { readApiDocument } from '../../tools/docs/api-document.ts'
import { generatePython, PYTHON_GENERATED, PYTHON_PROGRAM } from '../../tools/sdk/generate-python.ts'
import { GENERATED } from '../../tools/sdk/generate-typescript.ts'
import { connectQuickbooks } from '../journey/http-walks.ts'
import { isOnPath } from '../packages/podman.ts'
import { openSandbox, type Sandbox } from '../process/sandbox.ts'
import { readLogin, type Service } from '../process/service.ts'

const root = resolve(import.meta.dirname, '..', '..')
const sdk = join(root, 'sdk/python')
const BAKERY = '4620816365200000101'
const isSkipped = !isOnPath(PYTHON_PROGRAM) && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: the Python SDK is not tested: no ${PYTHON_PROGRAM}\n`)
const skipped = isSkipped ? ` (SKIPPED: no ${PYTHON_PROGRAM})` : ''
/** Nothing of Python is written beside the code. */
const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' }

/** What a Python program prints; its whole output is the message where it fails. */
async function run(program: string, args: string[], cwd: string, more: Record<string, string> = {}): Promise<string> {
  const done = promisify(execFile)(program, args, { cwd, env: { ...env, ...more }, maxBuffer: 64_000_000 })
  const { stdout } = await done.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

it('npm run sdk without Python writes the TypeScript SDK, leaves the other as it is, and says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-written-'))
  try {
    const kept = join(folder, PYTHON_GENERATED, 'kept.py')
    await mkdir(dirname(kept), { recursive: true })
    await writeFile(kept, '')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['tools/sdk.ts', folder], { cwd: root, env: { PATH: folder } })
    expect(stdout).toMatch(/^sdk\/typescript\/src\/generated: \d+ files\n$/)
    expect(stderr).toContain(`${PYTHON_GENERATED}: NOT WRITTEN, because there is no ${PYTHON_PROGRAM} on the path`)
    expect([existsSync(kept), existsSync(join(folder, GENERATED, 'sdk.gen.ts'))]).toEqual([true, true])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe.skipIf(isSkipped)(`the code of the Python SDK${skipped}`, () => {
  it('is in its generated part that of the present document; if not, npm run sdk', async () => {
    const document = await readApiDocument()
    const files = await generatePython(document)
    expect(globSync('**/*.py', { cwd: join(root, PYTHON_GENERATED) }).sort()).toEqual([...files.keys()].sort())
    const stale = [...files].filter(([name, text]) => readFileSync(join(root, PYTHON_GENERATED, name), 'utf8') !== text)
    expect(stale.map(([name]) => name)).toEqual([])
    const [, version] = /^version = "(.*)"$/m.exec(readFileSync(join(sdk, 'pyproject.toml'), 'utf8')) ?? []
    expect(document).toMatchObject({ info: { version } })
  })

  it('has no error of types', async () => {
    expect(await run(PYTHON_PROGRAM, ['-m', 'mypy', '--cache-dir=/dev/null', 'src'], sdk)).toContain('no issues found')
  })

  it('does in both kinds what its README promises', async () => {
    const options = ['-m', 'pytest', '--quiet', '-p', 'no:cacheprovider', 'tests']
    const printed = await run(PYTHON_PROGRAM, options, sdk, { PYTHONPATH: 'src' })
    expect(Number(/(\d+) passed/.exec(printed)?.[1])).toBeGreaterThan(50)
    expect(printed).not.toMatch(/failed|skipped|warning/)
  })
})

describe.skipIf(isSkipped)(`the package of the Python SDK, in an empty project${skipped}`, () => {
  let project: string
  let sdist: string
  /** Built from the source distribution. */
  let wheel: string
  let python: string
  let sandbox: Sandbox
  let service: Service
  let login: Awaited<ReturnType<typeof readLogin>>

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'sdk-python-project-'))
    await cp(sdk, join(project, 'source'), { recursive: true })
    await run(
      PYTHON_PROGRAM,
      ['-m', 'hatchling', 'build', '--target', 'sdist', '--directory', join(project, 'dist')],
      join(project, 'source'),
    )
    sdist = join('dist', globSync('*.tar.gz', { cwd: join(project, 'dist') })[0] ?? '')
    const build = ['-m', 'pip', 'wheel', '--quiet', '--no-index', '--no-deps', '--no-build-isolation', '--wheel-dir', 'dist', sdist]
    await run(PYTHON_PROGRAM, build, project)
    wheel = join('dist', globSync('*.whl', { cwd: join(project, 'dist') })[0] ?? '')
    await rm(join(project, 'source'), { recursive: true })
    await run(PYTHON_PROGRAM, ['-m', 'venv', 'empty'], project)
    python = join(project, 'empty/bin/python')
    await run(python, ['-m', 'pip', 'install', '--quiet', '--no-index', '--find-links', await findWheels(), wheel], project)
    sandbox = await openSandbox()
    service = sandbox.service
    login = await readLogin(service.dataDir)
  }, 180_000)
  afterAll(async () => {
    await sandbox?.close()
    if (project) await rm(project, { recursive: true, force: true })
  })

  it('holds code, types, licence and README, and needs httpx', async () => {
    const list = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
    const names = (await run(python, ['-c', list, wheel], project)).trim().split('\n')
    const modules = [
      '__init__',
      'async_client',
      'both_clients',
      'calls',
      'client',
      'errors',
      'lines',
      'pages',
      'retries',
      'session',
      'webhooks',
      'whole_lists',
    ]
    const generated = ['__init__', 'async_operations', 'events', 'models', 'operations'].map((name) => `generated/${name}`)
    const code = [...modules, ...generated].map((name) => `countinghouse/${name}.py`)
    const sources = await run('tar', ['-tzf', sdist], project)
    const inSource = [...code, 'countinghouse/py.typed'].map((name) => `src/${name}`)
    const others = ['LICENSE', 'PKG-INFO', 'README.md', 'pyproject.toml']
    expect(sources.trim().split('\n').sort()).toEqual([...inSource, ...others].map((name) => `countinghouse-1.0.0/${name}`).sort())
    const facts = ['METADATA', 'RECORD', 'WHEEL', 'licenses/LICENSE'].map((name) => `countinghouse-1.0.0.dist-info/${name}`)
    expect(names.sort()).toEqual([...code, 'countinghouse/py.typed', ...facts].sort())
    const read = 'from importlib.metadata import *; print(requires("countinghouse"), metadata("countinghouse")["Description"])'
    const printed = await run(python, ['-c', read], project)
    expect(printed).toContain("['httpx<1,>=0.28']")
    expect(printed).toContain('# Countinghouse for Python')
  })

  it('takes a stranger from the login to verified events, accounts, transactions, changes and an export', async () => {
    await writeFile(join(project, 'journey.py'), await readFile(join(import.meta.dirname, 'journey.py'), 'utf8'))
    await checkTypes('journey.py')
    const script = start('journey.py', { BASE_URL: service.baseUrl, EMAIL: login.email, PASSWORD: login.password })
    const lines: Record<string, unknown>[] = []
    for await (const line of createInterface(script.stdout)) {
      const said = JSON.parse(line)
      lines.push(said)
      if (said.link) await connectQuickbooks(service.baseUrl, said.link, { realmId: BAKERY })
    }
    const { transactions } = lines[2] ?? {}
    expect(lines).toEqual([
      { link: expect.stringContaining('/connect') },
      { event: 'NormalizedData', signature: 'verified' },
      {
        accounts: expect.any(Number),
        transactions: expect.any(Number),
        distinct: transactions,
        balance: expect.stringMatching(/^0(\.0+)?$/),
      },
      { changes: true },
      { exported: transactions, streamed: transactions },
    ])
    expect(lines[2]?.accounts).toBeGreaterThan(10)
    expect(transactions).toBeGreaterThan(10)
  })

  it('gives the first verified event by at most 12 lines of its README', async () => {
    const [, block = ''] = /```python\n([\s\S]*?)```/.exec(await readFile(join(sdk, 'README.md'), 'utf8')) ?? []
    expect(block.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
    await writeFile(join(project, 'first.py'), block.replace('http://127.0.0.1:8480', service.baseUrl))
    await checkTypes('first.py')
    const script = start('first.py', { COUNTINGHOUSE_API_KEY: await issueKey() })
    try {
      for await (const line of createInterface(script.stdout)) {
        expect(line).toContain("'MessageType': 'NormalizedData'")
        break
      }
    } finally {
      script.kill('SIGKILL')
    }
  })

  /** By the types of the installed package. */
  async function checkTypes(file: string): Promise<void> {
    await run(PYTHON_PROGRAM, ['-m', 'mypy', '--strict', '--cache-dir=/dev/null', `--python-executable=${python}`, file], project)
  }

  function start(file: string, more: Record<string, string>) {
    const script = spawn(python, [file], { cwd: project, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] })
    void once(script, 'close')
    return script
  }

  async function issueKey(): Promise<string> {
    const api = new Countinghouse({ baseUrl: service.baseUrl, login })
    const scopes = ['companies:read', 'connections:read', 'connections:write', 'webhooks:write'] as const
    const { key } = await api.createApiKey({ body: { name: 'README', scopes: [...scopes] } })
    return key
  }
})

/** `.ci/run` keeps httpx and what it needs beside the program, so that the test fetches nothing. */
async function findWheels(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const folder of folders) {
    const found = await realpath(folder).catch(() => folder)
    if (globSync(PYTHON_PROGRAM, { cwd: found }).length > 0) return join(dirname(found), 'wheels')
  }
  throw new Error(`no ${PYTHON_PROGRAM}`)
}
