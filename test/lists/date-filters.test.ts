import { type Static, Type } from 'typebox'
import { Parse } from 'typebox/value'
import { expect, it } from 'vitest'
import { readServedDocuments } from '../../tools/docs/api-document.ts'

const Schema = Type.Cyclic(
  {
    Schema: Type.Object({
      $ref: Type.Optional(Type.String()),
      description: Type.Optional(Type.String()),
      type: Type.Optional(Type.Unknown()),
      properties: Type.Optional(Type.Record(Type.String(), Type.Ref('Schema'))),
      items: Type.Optional(Type.Ref('Schema')),
      anyOf: Type.Optional(Type.Array(Type.Ref('Schema'))),
    }),
  },
  'Schema',
)
type Schema = Static<typeof Schema>
const Parameter = Type.Object({
  $ref: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
})
type Document = Static<typeof Document>
const Document = Type.Object({
  paths: Type.Record(
    Type.String(),
    Type.Object({
      get: Type.Optional(
        Type.Object({
          parameters: Type.Optional(Type.Array(Parameter)),
          responses: Type.Record(
            Type.String(),
            Type.Object({ content: Type.Optional(Type.Record(Type.String(), Type.Object({ schema: Type.Optional(Schema) }))) }),
          ),
        }),
      ),
    }),
  ),
  components: Type.Object({ schemas: Type.Record(Type.String(), Schema), parameters: Type.Record(Type.String(), Parameter) }),
})

const documents = Object.values(await readServedDocuments()).map((text) => Parse(Document, JSON.parse(text)))

/** Goes on by its position: there is no page to leave out of. */
const FEED = '/admin/api/v1/normalized-data/changes'

function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : resolve(document, document.components.schemas[name] ?? {})
}

/** By its name, or by what is said about it. */
function isNamedDate(document: Document, [name, schema]: [string, Schema]): boolean {
  return /(On|At|Date)$/.test(name) || isDate(document, schema)
}

function isDate(document: Document, schema: Schema): boolean {
  const found = resolve(document, schema)
  if (/ISO 8601|YYYY-MM-DD/.test(`${schema.description} ${found.description}`)) return true
  return (schema.$ref ?? '').endsWith('/Timestamp') || (found.anyOf ?? []).some((each) => isDate(document, each))
}

it('every date in the items of a paged list can be compared in its filter', () => {
  let dates = 0
  for (const document of documents) {
    for (const [path, { get }] of Object.entries(document.paths)) {
      const schema = resolve(document, get?.responses['200']?.content?.['application/json']?.schema ?? {})
      const item = resolve(document, resolve(document, schema.properties?.data ?? {}).items ?? {})
      const names = Object.entries(item.properties ?? {}).flatMap((property) => (isNamedDate(document, property) ? [property[0]] : []))
      if (names.length === 0 || path === FEED) continue
      const parameters = (get?.parameters ?? []).map((each) => document.components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each)
      const filter = parameters.find(({ name }) => name === 'FilterQuery')?.description ?? ''
      const missing = names.filter((name) => !new RegExp(`\`${name}\`[^;]*\\((instant|day):`).test(filter))
      expect([path, missing]).toEqual([path, []])
      dates += names.length
    }
  }
  expect(dates).toBeGreaterThan(35)
})
