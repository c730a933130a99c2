import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as typebox from 'typebox'
import * as value from 'typebox/value'
import { beforeAll, expect, it } from 'vitest'
import { folderForTests } from '../../../test/harness/for-tests.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const SHOW = `
  import { importFromBundles } from ${JSON.stringify(join(import.meta.dirname, 'bundles.ts'))}
  importFromBundles(process.argv[1])
  const [typebox, value] = [await import('typebox'), await import('typebox/value')]
  const parsed = value.Parse(typebox.Type.Object({ n: typebox.Type.Number() }), { n: 1 })
  console.log(JSON.stringify({ from: import.meta.resolve('typebox'), parsed, names: [Object.keys(typebox), Object.keys(value)] }))`

const folder = folderForTests()

beforeAll(async () => {
  await run(process.execPath, [join(ROOT, 'tools/package/build-bundle.ts'), join(folder.path, 'bundle')])
})

async function show(bundle: string) {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SHOW, bundle], { cwd: ROOT })
  return JSON.parse(stdout) as { from: string; parsed: unknown; names: string[][] }
}

it('imports of a package load its bundle, which has the same names, and the package where there is none', async () => {
  const names = [Object.keys(typebox).sort(), Object.keys(value).sort()]
  const bundled = await show(join(folder.path, 'bundle'))
  expect(bundled.from).toContain(join(folder.path, 'bundle'))
  expect([bundled.parsed, bundled.names.map((list) => list.sort())]).toEqual([{ n: 1 }, names])
  const plain = await show(join(folder.path, 'none'))
  expect(plain.from).toContain('node_modules/typebox')
  expect(plain.parsed).toEqual({ n: 1 })
})
