import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openKeys } from '../../src/store/keys/keys.ts'
import { runCommand } from '../cli/run-command.ts'
import { type TestDatabase, testDatabase } from '../harness/database.ts'
import { openTestFolder } from '../process/service.ts'

let at: TestDatabase
let folder: Awaited<ReturnType<typeof openTestFolder>>
let env: Record<string, string>
beforeAll(async () => {
  at = await testDatabase()
  folder = await openTestFolder()
  env = { DATABASE_URL: at.url, DATA_DIR: folder.path, BASE_URL: 'http://127.0.0.1:8480', HASH_MEMORY_KIB: '19456', HASH_PASSES: '2' }
  // Makes the keys, as the first start does.
  await openKeys(folder.path)
})
afterAll(async () => {
  await at.drop()
  await folder.remove()
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

it.each([
  [['paint', 'x'], '"paint" is no action'],
  [['create', 'New'], '--admin is missing'],
  [['create', 'New', '--admin', 'a@b.example', '--kind', 'prod'], 'is neither test nor live'],
  [['rename', 'Nobody', '--name', 'X'], 'there is no instance "Nobody"'],
])('%j is wrong use: exit code 2, and a sentence', async (args, words) => {
  const { code, stderr } = await instance(...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)])
})
