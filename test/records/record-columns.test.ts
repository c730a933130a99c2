import { expect, it } from 'vitest'
import { CATEGORIES } from '../../src/model/catalogue.ts'
import { documentPrinter } from '../../src/model/records/documents.ts'
import type { FieldKind } from '../../src/model/records/fields.ts'
import { RECORD_SCHEMAS } from '../../src/model/records/record-schemas.ts'
import { toCondition, toOrder } from '../../src/store/db/list-selection.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { databaseForTests } from '../harness/for-tests.ts'

/** Values that look like something else in the text of a document. */
const TEXTS = [
  ...['', 'plain', 'Café « Ébène »', 'a "quoted" word', 'ends with a backslash \\', '\\"', '"', 'null', '},{', '☃😀', '\u0001\n\t'],
  ...['","amount":99,"currency":"', '"amount":5', '"isPending":true', ',"transactionOn":"2026-01-01"', "it's $1 :: text"],
]
const VALUES: Readonly<Record<FieldKind, readonly unknown[]>> = {
  id: [null],
  text: [...TEXTS, null],
  enum: [...TEXTS, null],
  amount: ['0', '-0.01', '12345678901234567.89', '1e-7', '250', null],
  day: ['2026-02-28', '0001-01-01', null],
  instant: ['2026-10-31T23:30:00-04:00', '2026-11-20T08:00:00.000+00:00', null],
  flag: [true, false, null],
}

const test = databaseForTests()
const KINDS = CATEGORIES.flatMap((category) => (['Accounts', 'Transactions'] as const).map((entity) => [category, entity] as const))

it.each(KINDS)('every property of %s %s is read out of its document as JSON would read it', async (category, entity) => {
  const schema = RECORD_SCHEMAS[category][entity]
  const columns = recordColumns(category, entity)
  const print = documentPrinter({ serviceId: '7', serviceName: 'Bank "One"', lastUpdatedOn: '2026-11-20T17:43:00.123' })
  const most = Math.max(...Object.values(VALUES).map(({ length }) => length))
  const documents = Array.from({ length: most }, (_, turn) => {
    const parts = schema.properties.map(({ name, kind }, place) => {
      const values = VALUES[kind]
      const value = values[(turn + place) % values.length]
      return `${JSON.stringify(name)}:${kind === 'amount' && value !== null ? value : JSON.stringify(value)}`
    })
    return print(`{${parts.join(',')}}`)
  })
  // One stored before later fields came: it ends earlier.
  const old = print(`{${schema.properties.filter(({ since }) => since === 1).map(({ name }) => `"${name}":null`)}}`)
  const names = Object.keys(columns).filter((name) => columns[name]?.sql !== 'r.id')
  const casts: Record<string, string> = { number: '::numeric', date: '::timestamptz', boolean: '::boolean', day: '', string: '' }
  const wrong = await Promise.all(
    names.map(async (name) => {
      const column = columns[name]
      const zone = name === 'lastUpdatedOn' ? ` || 'Z'` : ''
      const parsed = `((r.doc::json ->> '${name}')${zone})${casts[column?.type ?? '']}`
      const { rows } = await test.database.query<{ is: unknown; parsed: unknown }>(
        `select (${column?.sql})::text as is, (${parsed})::text as parsed from unnest($1::text[]) as r (doc) where (${column?.sql}) is distinct from ${parsed}`,
        [[...documents, old]],
      )
      return rows.map((row) => ({ name, ...row }))
    }),
  )
  expect(wrong.flat()).toEqual([])
  expect(names.length).toBe(schema.properties.length + 1 - schema.properties.filter(({ kind }) => kind === 'id').length)
})

it.each(KINDS)(
  'a list of %s %s in an order or with a filter that no index serves parses no JSON, but texts with an escape',
  async (...kinds) => {
    const columns = recordColumns(...kinds)
    const parsing: string[] = []
    for (const [name, column] of Object.entries(columns)) {
      const values: unknown[] = []
      const filter = [[{ property: name, operator: '=', value: column.type === 'number' ? '1' : null } as const]]
      const selection = { filter, orderBy: name, descending: false, limit: 10, offset: 0 }
      const { rows } = await test.database.query<{ 'QUERY PLAN': string }>(
        `explain verbose select r.doc from record_versions r where record_set = 1 and ${toCondition(filter, columns, values)} ${toOrder(selection, columns, 'r.id', values)}`,
        values,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join(' ')
      const count = (part: string) => plan.split(part).length - 1
      const guarded = column.type === 'string' ? count(`'\\'::text) > 0) THEN ((r.doc)::json ->>`) : 0
      if (count('::json') !== guarded) parsing.push(name)
    }
    expect(parsing).toEqual([])
  },
)
