import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeConnector } from './new-connector.ts'

const root = resolve(import.meta.dirname, '..')
let folder = ''
beforeAll(async () => {
  // Inside the project, so that the skeleton finds the contract and its libraries.
  folder = await mkdtemp(join(root, 'tools', 'skeleton-'))
})
afterAll(async () => await rm(folder, { recursive: true }))

it('writes a connector that compiles and passes its own test, with a subject for the conformance suite', async () => {
  const files = await writeConnector('harbor-bank', 'Harbor Bank', folder, join(folder, 'subjects'))
  expect(files.map((file) => file.slice(folder.length + 1)).sort()).toEqual([
    ...['README.md', 'client.ts', 'fixtures/accounts.json', 'index.ts', 'map.test.ts', 'map.ts', 'type-table.ts', 'wire.ts'].map(
      (file) => `harbor-bank/${file}`,
    ),
    'subjects/harbor-bank.ts',
  ])
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] }))
  const node = process.execPath
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
  execFileSync(node, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], { cwd: root, stdio: 'pipe' })
  const output = execFileSync(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', `tools/${basename(folder)}`], {
    cwd: root,
    encoding: 'utf8',
    env,
  })
  expect(output).toContain('1 passed')
})

it('refuses a key that is taken or is no word', async () => {
  await expect(writeConnector('quickbooks', 'QuickBooks')).rejects.toThrow('exists already')
  await expect(writeConnector('Harbor Bank', 'Harbor Bank')).rejects.toThrow('lower-case word')
})
