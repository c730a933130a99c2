import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { openKeys } from '../../src/store/keys/keys.ts'
import { runCommand } from '../cli/run-command.ts'
import { databaseForTests, folderForTests } from '../harness/for-tests.ts'
import { openTestFolder } from '../process/service.ts'

const at = databaseForTests()
const folder = folderForTests()
let env: Record<string, string>
beforeAll(async () => {
  env = { DATABASE_URL: at.url, DATA_DIR: folder.path, BASE_URL: 'http://127.0.0.1:8480', HASH_MEMORY_KIB: '19456', HASH_PASSES: '2' }
  // Makes the keys, as the first start does.
  await openKeys(folder.path)
})

const instance = (...args: string[]) => runCommand(['instance', ...args], env)

it('the commands of operators make, name, suspend, resume, export and erase an instance', async () => {
  const made = await instance('create', 'Maple Lending', '--admin', 'avery@maple.example')
  expect([made.code, made.stderr]).toEqual([0, ''])
  expect(made.stdout).toContain('http://127.0.0.1:8480/portal/new-password#')
  expect((await instance('rename', 'Maple Lending', '--name', 'Érable')).stdout).toContain('active  Érable')
  expect((await instance('suspend', 'Érable', '--reason', 'Contract has ended')).stdout).toContain('suspended')
  expect((await instance('list')).stdout).toMatch(/live .* suspended .* Érable/)
  expect((await instance('resume', 'Érable')).stdout).toContain('active')
  const file = join(folder.path, 'export.jsonl.gz')
  expect((await instance('export', 'Érable', '--to', file)).code).toBe(0)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(gunzipSync(await readFile(file)).toString()).toContain('"end":true')
  expect((await instance('export', 'Érable', '--to', file)).code).toBe(1)
  expect((await instance('erase', 'Érable', '--name', 'Maple')).code).toBe(2)
  expect((await instance('erase', 'Érable', '--name', 'Érable')).code).toBe(0)
  expect((await instance('erasures')).stdout).toContain('under way')
}, 60_000)

it('an instance is found by its name in any letter case, exactly so before others, and more than one are named', async () => {
  for (const [at, name] of ['Spruce', 'SPRUCE', 'Larch'].entries()) await instance('create', name, '--admin', `avery${at}@spruce.example`)
  expect((await instance('suspend', 'lARCH', '--reason', 'Test')).stdout).toContain('suspended')
  expect((await instance('suspend', 'SPRUCE', '--reason', 'Test')).stdout).toContain('SPRUCE')
  const { code, stderr } = await instance('suspend', 'spruce', '--reason', 'Test')
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/more than one instance is called "spruce"; name it by its id:(\n {2}\S+ spruce){2}\n/i),
  ])
})

it('an export to a file that exists is not audited as done', async () => {
  await instance('create', 'Birch', '--admin', 'avery@birch.example')
  const count = async () => (await at.database.query(`select from audit_entries where entry like '%instance.exported%'`)).rowCount
  const before = await count()
  expect((await instance('export', 'Birch', '--to', folder.path)).code).toBe(1)
  expect(await count()).toBe(before)
})

it.each(['pause', 'resume'])('%s with the keys of another deployment changes nothing', async (command) => {
  expect((await instance('list')).code).toBe(0)
  const other = await openTestFolder()
  await openKeys(other.path)
  const { code, stderr } = await runCommand([command], { ...env, DATA_DIR: other.path })
  await other.remove()
  expect([code, stderr]).toEqual([1, expect.stringContaining('are not those of this database')])
  expect((await at.database.query('select from deployment_pause')).rowCount).toBe(0)
})

it.each([
  [['paint', 'x'], '"paint" is no action'],
  [['create', 'New'], '--admin is missing'],
  [['create', 'New', '--admin', 'a@b.example', '--kind', 'prod'], 'is neither test nor live'],
  [['rename', 'Nobody', '--name', 'X'], 'there is no instance "Nobody"'],
  [['create', 'New', '--admin', 'nobody'], '--admin: "nobody" is not an e-mail address'],
  [['create', 'N'.repeat(201), '--admin', 'a@b.example'], 'NAME has more than 200 characters'],
  [['create', 'New', '--admin', 'a@b.example', '--admin-name', 'N'.repeat(201)], '--admin-name has more than 200 characters'],
  [['rename', 'Nobody', '--name', 'N'.repeat(201)], '--name has more than 200 characters'],
  [['suspend', 'Nobody', '--reason', 'R'.repeat(301)], '--reason has more than 300 characters'],
])('%j is wrong use: exit code 2, and a sentence', async (args, words) => {
  const { code, stderr } = await instance(...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})
