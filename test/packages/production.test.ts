import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules, createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBundle } from '../../bin/bundled.js'
import { OF_SMALL_FILES } from '../../tools/package/bundle-package.ts'
import { layOut } from '../../tools/package/lay-out.ts'
import { isLicence } from '../../tools/package/package-files.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { folderForTests } from '../harness/for-tests.ts'
import { until } from '../process/deadline.ts'
import { findFreePort } from '../process/service.ts'
import { megabytesOf } from './size.ts'

const CHECKOUT = resolve(import.meta.dirname, '..', '..')
const MOST_MEGABYTES = 150
const DOCUMENTATION_BUILD = ['assets', 'documents', 'home', 'render-markdown', 'search-index'].map(
  (name) => `src/documentation/build/${name}.ts`,
)
/** Files of the sandbox and the build, which load development packages on demand. */
const OF_DEVELOPMENT = ['src/mail/catcher-server.ts', 'src/process/built/portal-build.ts', ...DOCUMENTATION_BUILD]

describe('the service without development packages, simulators and tests', () => {
  const folder = folderForTests()
  let database: TestDatabase
  let app: string
  beforeAll(async () => {
    app = join(folder.path, 'app')
    await layOut(app, { node: false, database: true })
    database = await testDatabase({ migrated: false })
  })
  afterAll(async () => {
    await database?.drop()
  })

  function spawnHere(environment: Record<string, string>) {
    const child = spawn(process.execPath, ['bin/countinghouse.js', 'start'], {
      cwd: app,
      env: { PATH: process.env.PATH, DATA_DIR: join(folder.path, 'data'), DATABASE_URL: database.url, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    return { child, said: () => said, ended: once(child, 'close') }
  }

  it(`takes at most ${MOST_MEGABYTES} MB of node_modules besides Node`, () => {
    const megabytes = megabytesOf(join(app, 'node_modules'))
    expect(megabytes).toBeGreaterThan(20)
    expect(megabytes).toBeLessThan(MOST_MEGABYTES)
  })

  it('holds no source control, test, simulator or settings of a developer', () => {
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((file) => !file.startsWith('node_modules'))
    expect(files.length).toBeGreaterThan(900)
    expect(files.filter((file) => /^(\.\w+|test|simulators|bench|tools|data)(\/|$)|\.test\.|\/\.git/.test(file))).toEqual([])
  })

  it.each(OF_SMALL_FILES)('has the exports of %s in a few files, with its licence', async (name) => {
    const inTree = join(app, 'node_modules', name)
    const files = readdirSync(inTree, { recursive: true, encoding: 'utf8' }).filter((file) => /\.[cm]?js$/.test(file))
    expect(files.length).toBeLessThan(30)
    expect(readdirSync(inTree).some(isLicence)).toBe(true)
    const paths = name === 'typebox' ? [name, 'typebox/compile', 'typebox/value', 'typebox/system'] : [name]
    for (const path of paths) {
      const [before, after] = [CHECKOUT, app].map((root) => exportsOf(createRequire(join(root, 'src', 'main.ts'))(path)))
      expect(after, path).toEqual(before)
    }
  })

  it('has a bundle of its own files, which the command runs', () => {
    expect(findBundle(app)).toContain(join(app, 'dist', 'service'))
  })

  it('starts in production, serves the prebuilt portal, and stops', async () => {
    const port = await findFreePort()
    const service = spawnHere({ ENVIRONMENT: 'production', PORT: String(port), SEED_PASSWORD: 'harbour-violet-teapot-91' })
    await until('the start', () => {
      if (service.child.exitCode !== null) throw new Error(service.said())
      return service.said().includes('Countinghouse is ready.') || null
    })
    const origin = `http://127.0.0.1:${port}`
    const login = await fetch(`${origin}/admin/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'developer@example.com', password: 'harbour-violet-teapot-91' }),
    })
    const portal = await fetch(`${origin}/portal/`)
    expect([login.status, portal.status, (await portal.text()).includes('/portal/assets/')]).toEqual([200, 200, true])
    const documents = ['/docs/', '/docs/guides/keys', '/docs/guides/keys.md', '/docs/changelog', '/llms.txt']
    expect(await Promise.all(documents.map(async (path) => (await fetch(`${origin}${path}`)).status))).toEqual(documents.map(() => 200))
    service.child.kill('SIGTERM')
    await service.ended
    expect([service.child.exitCode, service.said().match(/"level":"(error|fatal)".*/g)]).toEqual([0, null])
  })

  it('says what the sandbox lacks', async () => {
    const service = spawnHere({ PORT: String(await findFreePort()) })
    await service.ended
    expect([service.child.exitCode, service.said()]).toEqual([
      1,
      expect.stringContaining('the sandbox needs the simulators and the development packages'),
    ])
  })
})

it('imports only dependencies, not development packages', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  const files = readdirSync(join(CHECKOUT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/test-[a-z-]+\.ts$|\/loopback-server\.ts$|^src\/portal\//.test(file))
  const wrong = files
    .filter((file) => !OF_DEVELOPMENT.includes(file))
    .flatMap((file) => listPackages(readFileSync(join(CHECKOUT, file), 'utf8')).map((name) => ({ file, name })))
    .filter(({ name }) => !(name in dependencies))
  expect([files.length > 400, wrong]).toEqual([true, []])
})

function exportsOf(loaded: object): string[] {
  return Object.keys(loaded).sort()
}

/** Packages that the code loads at runtime, by static or dynamic import. */
function listPackages(code: string): string[] {
  return [...code.matchAll(/(?:^(?:import|export)(?! type)[^'\n]*from |import\()'([^.'][^']*)'/gm)]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}
