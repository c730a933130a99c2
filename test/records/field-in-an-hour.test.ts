import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { BANK_ACCOUNT } from '../../src/model/records/bank-account.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { folderForTests, openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/*
 * Runs "A field in an hour" of CONTRIBUTING literally on a copy of the tree, then upgrades to the copy: data
 * published by this tree is synced and read by a process of the copy.
 */

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const TREE = ['src', 'simulators', 'test', 'bench', 'tools', 'package.json', 'tsconfig.json']
const SCHEMA = 'src/model/records/bank-account.ts'
const CHECKED = 'tsconfig.field.json'
/** Types of Fastify's requests, which routes need and do not import. */
const AUGMENTATION = 'src/api/operator/operator-caller.ts'
const TIMEOUT_MS = 300_000

/**
 * The lines that the section says to write: the field in the schema, and in a mapping whose source does not have it.
 */
async function readRecipe(): Promise<{ name: string; field: string; mapping: string }> {
  const guide = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  const section = /^## A field in an hour\n(.*?)^## /ms.exec(guide)?.[1] ?? ''
  const [field = '', mapping = ''] = [...section.matchAll(/```ts\n(.*?)\n\s*```/gs)].map((match) => (match[1] ?? '').trim())
  const name = /^(\w+): nullable\(/.exec(field)?.[1]
  if (name === undefined || !mapping.startsWith(`${name}: `)) throw new Error('the section shows no field and no mapping of it')
  return { name, field: field.replace(/since: \d+/, `since: ${BANK_ACCOUNT.shape + 1}`), mapping }
}

describe('a field added to bank accounts as in CONTRIBUTING', () => {
  const folder = folderForTests()
  let recipe: Awaited<ReturnType<typeof readRecipe>>
  const at = (file: string) => join(folder.path, file)

  /** Compiler errors of the copy, as `file(line,column)`. */
  async function check(): Promise<{ file: string; line: number; text: string }[]> {
    const tsc = run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', CHECKED, '--pretty', 'false'], { cwd: folder.path })
    const { stdout } = await tsc.catch((error: { stdout: string }) => error)
    return [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error (.*)$/gm)].map(([, file = '', line, text = '']) => {
      return { file, line: Number(line), text }
    })
  }

  beforeAll(async () => {
    for (const name of TREE) await cp(join(ROOT, name), at(name), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), at('node_modules'))
    // Only files that name the type or map it: the whole tree takes six times as long, with the same result.
    const named = ['-rlE', 'records/bank-account\\.ts|bankAccountMapping', '--include=*.ts', 'src', 'simulators', 'test', 'bench', 'tools']
    const { stdout } = await run('grep', named, { cwd: folder.path })
    const compilerOptions = { tsBuildInfoFile: '.types' }
    await writeFile(
      at(CHECKED),
      JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: [], files: [...stdout.trim().split('\n'), AUGMENTATION] }),
    )
    recipe = await readRecipe()
  })

  it('is required by the compiler in each mapping of bank accounts, and nowhere else', { timeout: TIMEOUT_MS }, async () => {
    const schema = await readFile(at(SCHEMA), 'utf8')
    await writeFile(
      at(SCHEMA),
      schema.replace(/\n {2}\},\n {2}\(account\) =>/, (end) => `\n    ${recipe.field}${end}`),
    )
    const errors = await check()
    expect(errors.map(({ text }) => text).filter((text) => !text.includes(`Property '${recipe.name}' is missing`))).toEqual([])
    const files = [...new Set(errors.map(({ file }) => file))]
    const maps = files.filter((file) => /^src\/connectors\/[\w-]+\/map\.ts$/.test(file))
    expect(files.filter((file) => file.startsWith('src/'))).toEqual(maps)
    expect(maps).toContain('src/connectors/plaid/map.ts')
    for (const { file, line } of errors.toReversed()) {
      const lines = (await readFile(at(file), 'utf8')).split('\n')
      expect(lines[line - 1], file).toMatch(/\{$/)
      lines.splice(line, 0, `  ${recipe.mapping}`)
      await writeFile(at(file), lines.join('\n'))
    }
    expect(await check()).toEqual([])
  })

  it('changes nothing that is recorded of mappings whose sources do not have it', { timeout: TIMEOUT_MS }, async () => {
    const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'test/mapping/map.test.ts']
    const { stdout } = await run(process.execPath, vitest, { cwd: folder.path, env: { ...process.env, CI: 'true', NO_COLOR: '1' } })
    expect(stdout).toMatch(/Tests +\d+ passed/)
  })

  describe('after an upgrade of a deployment with published accounts', () => {
    const bank = new ScriptedSource('bank', 'Banking')
    const keysFolder = folderForTests()
    const harness = openForTests(async () => openSyncHarness([bank], [], await openKeys(keysFolder.path)))
    let seen: Upgrade
    beforeAll(async () => {
      bank.accounts = [1, 2, 3].map((index) => ({ id: `a-${index}`, name: `Account "${recipe.name}": ${index}`, balance: `${index}.10` }))
      const connectionId = await harness.connect(bank)
      await harness.sync(connectionId, { reason: 'first' })
      const { instanceId, companyId } = harness
      const given = { id: 'a-2', value: 'Plateau' }
      const request = { instanceId, companyId, connectionId, field: recipe.name, accounts: bank.accounts, given }
      const arguments_ = [at('test/records/upgraded-process.ts'), harness.url, keysFolder.path, JSON.stringify(request)]
      const { stdout } = await run(process.execPath, arguments_, { cwd: folder.path, maxBuffer: 1 << 26 })
      seen = JSON.parse(stdout)
    }, TIMEOUT_MS)
    it('creates no version and no event while the source does not have it', () => {
      expect(seen.unchanged.before).toMatchObject({ versions: 3, changes: 0 })
      expect(seen.unchanged.after).toEqual(seen.unchanged.before)
    })

    it('is null in every account stored without it, at the end of the document', () => {
      const { data } = seen.unchanged.accounts.body
      expect(data.map((account) => Object.entries(account).at(-1))).toEqual(data.map(() => [recipe.name, null]))
      expect(data).toHaveLength(3)
    })

    it('creates one version and one event, with the new value, once one account has it', () => {
      expect(seen.changed.after).toMatchObject({ versions: 4, changes: 1 })
      const [event] = seen.changed.events.map(({ body }) => JSON.parse(body))
      expect(event.Data.Changes).toEqual([
        expect.objectContaining({ OrigId: 'a-2', Before: { [recipe.name]: null }, After: { [recipe.name]: 'Plateau' } }),
      ])
      expect(seen.changed.accounts.body.data.map((account) => account[recipe.name])).toEqual([null, 'Plateau', null])
      expect(seen.changed.accounts.etag).not.toBe(seen.unchanged.accounts.etag)
    })

    it('is documented, can be filtered and ordered by, is counted and is explained', () => {
      expect(seen.schema).toMatchObject({ additionalProperties: false, properties: { [recipe.name]: { anyOf: expect.any(Array) } } })
      expect(seen.schema.required).toContain(recipe.name)
      expect([seen.changed.filtered.status, seen.changed.filtered.body.data.map(({ origId }) => origId)]).toEqual([200, ['a-2']])
      const { fields } = seen.changed.quality.body.coverage[0] ?? { fields: [] }
      expect(fields.find(({ field }) => field === recipe.name)).toMatchObject({ filled: 1 })
      expect(seen.changed.explanation.body.fields.find(({ field }) => field === recipe.name)).toMatchObject({ result: 'Plateau' })
    })
  })
})

interface Counts {
  versions: number
  changes: number
  publication: string
}

interface Reply<Body> {
  status: number
  etag?: string
  body: Body
}

type Accounts = Reply<{ data: Record<string, unknown>[] }>

interface Upgrade {
  unchanged: { before: Counts; after: Counts; accounts: Accounts }
  changed: {
    after: Counts
    accounts: Accounts
    events: { body: string }[]
    filtered: Accounts
    quality: Reply<{ coverage: { fields: { field: string; filled: number }[] }[] }>
    explanation: Reply<{ fields: { field: string; result: unknown }[] }>
  }
  schema: { additionalProperties: boolean; required: string[]; properties: Record<string, unknown> }
}
