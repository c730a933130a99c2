import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)

/**
 * Licences compatible with distribution under the product's own; MPL-2.0 only covers changes of the package’s files.
 */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'PostgreSQL',
  'Unlicense',
]

const Licence = Type.Object({
  license: Type.Optional(Type.Object({ id: Type.Optional(Type.String()) })),
  expression: Type.Optional(Type.String()),
})
const Bill = Type.Object({
  bomFormat: Type.Literal('CycloneDX'),
  specVersion: Type.String(),
  components: Type.Array(
    Type.Object({
      name: Type.String(),
      version: Type.String(),
      purl: Type.String(),
      licenses: Type.Optional(Type.Array(Licence)),
      hashes: Type.Optional(Type.Array(Type.Object({ alg: Type.String(), content: Type.String() }))),
    }),
  ),
})

describe('the bill of materials', () => {
  let bill: Type.Static<typeof Bill>

  beforeAll(async () => {
    const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { maxBuffer: 64 * 1024 * 1024 })
    const read: unknown = JSON.parse(stdout)
    if (!Check(Bill, read)) throw new Error('not a bill of materials')
    bill = read
  })

  it('names every package that runs in production, with its checksum', async () => {
    const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: Record<string, string> }
    const named = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl)))
    expect(Object.entries(dependencies).filter(([name, version]) => !named.has(`pkg:npm/${name}@${version}`))).toEqual([])
    expect(bill.components.filter(({ hashes }) => !hashes?.length).map(({ name }) => name)).toEqual([])
  })

  it('names no package that only serves development', () => {
    expect(bill.components.filter(({ name }) => ['vitest', 'typescript', 'knip'].includes(name))).toEqual([])
  })

  it('only has licences that allow its distribution', () => {
    const others = bill.components.filter(({ licenses = [] }) => !licenses.some(isAllowed))
    expect(others.map(({ name, licenses }) => [name, licenses])).toEqual([])
  })
})

function isAllowed({ license, expression }: Type.Static<typeof Licence>): boolean {
  if (license?.id !== undefined) return ALLOWED.includes(license.id)
  const choices = expression?.replace(/^\(|\)$/g, '').split(' OR ') ?? []
  return choices.some((choice) => ALLOWED.includes(choice))
}
