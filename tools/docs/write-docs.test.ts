import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectors } from '../../src/connectors/registry.ts'
import { ACCOUNT_TYPES } from '../../src/model/records/accounting.ts'
import { generatedDocs, listOrphans } from './write-docs.ts'
import { describePortalTypes } from './write-docs-portal-types.ts'

const root = resolve(import.meta.dirname, '../..')
const docs = await generatedDocs()

describe('the generated documents', () => {
  it.each([...docs.keys()])('%s is up to date; if not, run npm run docs', async (path) => {
    expect(await readFile(resolve(root, path), 'utf8')).toBe(docs.get(path))
  })

  it('have a mapping for every connector and no others', () => {
    expect(connectors.filter(({ key }) => !docs.has(`docs/mappings/${key}.md`))).toEqual([])
    expect(listOrphans(docs)).toEqual([])
  })

  it('have a meaning for every row of an accounting source', () => {
    const words = [...ACCOUNT_TYPES, 'ACTIVE', 'ARCHIVED', 'DELETED']
    for (const { key, category } of connectors) {
      if (category === 'Banking') continue
      const rows = (docs.get(`docs/mappings/${key}.md`) ?? '')
        .split('\n')
        .filter((line) => line.startsWith('| `') || line.startsWith('|  | `'))
      expect(rows.length, key).toBeGreaterThan(10)
      expect(
        rows.filter((row) => !words.some((word) => row.includes(` ${word} `))),
        key,
      ).toEqual([])
    }
  })

  it('explain why a credit card of Xero is a liability', () => {
    expect(docs.get('docs/mappings/xero.md')).toContain('| `BANK` | `CREDITCARD` | LIABILITY | CREDIT_CARD |')
  })

  it('give the portal no type that is wider than the API document', () => {
    const document = (AuditEntry: object) => ({ components: { schemas: { AuditEntry } } })
    const print = (schema: object) => () => describePortalTypes(document(schema), { schemas: ['AuditEntry'], enums: [] })
    expect(print({ type: 'string', allOf: [] })).toThrow('allOf')
    expect(print({ type: 'array', items: { $ref: '#/components/schemas/Nobody' } })).toThrow('no schema Nobody')
    expect(print({ type: 'array', items: { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] } })()).toContain(
      "AuditEntry = ('a' | 'b' | null)[]",
    )
  })
})
