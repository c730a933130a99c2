import { execFileSync } from 'node:child_process'
import { cp, readdir, readFile, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { folderForTests } from '../test/harness/for-tests.ts'
import type { NewConnector } from './connector-template.ts'
import { readArguments, writeConnectors } from './new-connector.ts'

const root = resolve(import.meta.dirname, '..')
/** Excluded when the project is copied. */
const NOT_COPIED = new Set(['node_modules', '.git', 'data', 'coverage', 'screenshots', 'tmp'])

const KINDS: readonly NewConnector[] = (['Accounting', 'Banking'] as const).flatMap((category) =>
  (['oauth', 'form'] as const).flatMap((authorization) =>
    [true, false].map((hasTransactions, index) => ({
      key: `generated-${category.charAt(0).toLowerCase()}-${authorization}-${index + 1}`,
      name: `Generated ${category} ${authorization} ${index + 1}`,
      category,
      authorization,
      hasTransactions,
    })),
  ),
)

describe('connectors of every kind, written into a copy of the project', { timeout: 600_000 }, () => {
  const copy = folderForTests()
  const written: string[] = []
  beforeAll(async () => {
    const names = (await readdir(root)).filter((name) => !NOT_COPIED.has(name))
    for (const name of names) await cp(join(root, name), join(copy.path, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy.path, 'node_modules'))
    written.push(...writeConnectors(KINDS, copy.path))
  }, 600_000)

  /** Standard output of a program; throws with it if the program fails. */
  function run(program: string, ...args: string[]): string {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
    try {
      return execFileSync(process.execPath, [join(copy.path, 'node_modules', program), ...args], {
        cwd: copy.path,
        encoding: 'utf8',
        stdio: 'pipe',
        env,
      })
    } catch (error) {
      throw new Error(`${program}: ${String(Object(error).stdout)}\n${String(Object(error).stderr)}`)
    }
  }

  it('touch only their folder, their simulator, their subjects and the registry', () => {
    const others = written.filter((file) => !/^(src\/connectors|simulators|test\/(conformance|mapping)\/subjects)\/generated-/.test(file))
    expect(new Set(others)).toEqual(new Set(['src/connectors/registry.ts']))
  })

  it('pass the type check, Biome and the search for unused code untouched', () => {
    run('typescript/bin/tsc', '--tsBuildInfoFile', join(copy.path, 'types.tsbuildinfo'))
    run('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', ...new Set(written.filter((file) => file.endsWith('.ts'))))
    run('knip/bin/knip.js')
  })

  it('pass the conformance suite', () => {
    const output = run('vitest/vitest.mjs', 'run', 'test/conformance', '-t', 'generated-', '--maxWorkers=1')
    expect(Number(/Tests +(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(80 * KINDS.length)
  })

  it('pass their own tests and those that cover every source', () => {
    const everySource = ['file-names', 'layout', 'sandbox-sources', 'charts', 'write-docs', 'markdown', 'watched-mappings']
    const output = run('vitest/vitest.mjs', 'run', 'generated-', ...everySource.map((name) => `/${name}.test.ts`), '--maxWorkers=1')
    expect(output).toMatch(new RegExp(`Test Files +${2 * KINDS.length + everySource.length} passed`))
  })

  it('are in the README and in the documents', async () => {
    const [readme, sources] = await Promise.all(['README.md', 'docs/sources.md'].map((file) => readFile(join(copy.path, file), 'utf8')))
    for (const { name, hasTransactions } of KINDS) {
      expect(readme).toContain(hasTransactions ? name : `${name}*`)
      expect(sources).toContain(`## ${name}\n`)
    }
  })

  it('are not written a second time, nor under a key or a name that is taken', () => {
    const wanted: NewConnector = { key: 'harbor', name: 'Harbor', category: 'Banking', authorization: 'form', hasTransactions: false }
    expect(() => writeConnectors([{ ...wanted, key: 'quickbooks' }], copy.path)).toThrow('src/connectors/quickbooks exists already')
    expect(() => writeConnectors([{ ...wanted, key: 'akoya' }], copy.path)).toThrow('exists already')
    expect(() => writeConnectors([{ ...wanted, key: 'kit' }], copy.path)).toThrow('simulators/kit exists already')
    expect(() => writeConnectors([{ ...wanted, key: 'connectors' }], copy.path)).toThrow('connectors is taken')
    expect(() => writeConnectors([{ ...wanted, key: 'new' }], copy.path)).toThrow('new is taken')
    expect(() => writeConnectors([{ ...wanted, name: 'Xero' }], copy.path)).toThrow('there is a source "Xero" already')
  })
})

describe('the command line', () => {
  it('writes a chart of accounts behind a form by default', () => {
    const defaults = {
      key: 'harbor-books',
      name: 'Harbor & Sons’ Books',
      category: 'Accounting',
      authorization: 'form',
      hasTransactions: false,
    }
    expect(readArguments(['harbor-books', 'Harbor & Sons’ Books'])).toEqual(defaults)
    expect(readArguments(['harbor-books', 'Harbor & Sons’ Books', '--oauth', '--transactions', '--banking'])).toEqual({
      ...defaults,
      category: 'Banking',
      authorization: 'oauth',
      hasTransactions: true,
    })
    expect(readArguments(['--help'])).toBeNull()
  })

  it.each([
    [[], 'the key is a lower-case word'],
    [['Harbor', 'Harbor'], 'the key is a lower-case word'],
    [['../harbor', 'Harbor'], 'the key is a lower-case word'],
    [['harbor'], 'the name is a text'],
    [['harbor', "Harbor's"], 'the name is a text'],
    [['harbor', 'Harbor', 'Books'], 'in quotes'],
    [['harbor', 'Harbor', '--oauth2'], "Unknown option '--oauth2'"],
    [['harbor', 'Harbor', '--oauth', '--form'], 'exclude each other'],
    [['harbor', 'Harbor', '--banking', '--accounting'], 'exclude each other'],
  ])('refuses %j', (args, message) => {
    expect(() => readArguments(args)).toThrow(message)
  })
})
