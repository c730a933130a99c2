import type { Faults } from '../../kit/faults.ts'
import type { Reply } from '../../kit/http/response.ts'
import type { Row } from '../data/chart.ts'
import type { FaultName } from '../faults.ts'
import { jsonReply, refusal } from './replies.ts'
import { toDriftedRows } from './schema-drift.ts'

/** A doctype as one user sees it. */
export interface Doctype {
  name: string
  rows: readonly Row[]
  /** Fields besides `name`; any other is refused. */
  fields: ReadonlySet<string>
}

const DEFAULT_LENGTH = 20
/** Collation of the database, which ignores case and accents. */
const collator = new Intl.Collator('fr', { sensitivity: 'base' })

/** GET /api/resource/{doctype}. Source: https://docs.frappe.io/framework/user/en/api/rest */
export function listDocuments(doctype: Doctype, query: URLSearchParams, faults: Faults<FaultName>): Reply {
  const fields = toList(query.get('fields') ?? '["name"]').map(String)
  const filters = toList(query.get('filters') ?? '[]').map(toFilter)
  const unknown = [...fields, ...filters.map(({ field }) => field)].find((field) => field !== 'name' && !doctype.fields.has(field))
  if (unknown !== undefined) return refusal(417, 'DataError', `Field not permitted in query: ${unknown}`)
  const order = /^(\w+)(?: (asc|desc))?$/i.exec(query.get('order_by') || 'name asc')
  if (!order) return refusal(417, 'ValidationError', 'Illegal SQL Query')
  const start = Number(query.get('limit_start') ?? 0)
  const length = Number(query.get('limit_page_length') ?? query.get('limit') ?? DEFAULT_LENGTH)
  const select = (wanted: readonly Filter[]) =>
    sorted(
      doctype.rows.filter((row) => wanted.every((filter) => passes(row, filter))),
      order[1] ?? 'name',
      order[2]?.toLowerCase() === 'desc',
    )
  const found = select(filters)
  let rows = length === 0 ? found.slice(start) : found.slice(start, start + length)
  const after = filters.find(({ field, operator }) => field === 'name' && operator === '>')
  if (after && doctype.name !== 'Company') {
    const before = () => select([...filters.filter((filter) => filter !== after), { ...after, operator: '<=' }])
    if (faults.take('repeatPage')) rows = before().slice(-length)
    else if (faults.take('duplicateIds')) rows = [...before().slice(-3), ...rows]
  }
  const data = rows.map((row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? null])))
  return jsonReply(200, {
    data: doctype.name === 'Account' && fields.length > 1 && faults.take('schemaDrift') ? toDriftedRows(data) : data,
  })
}

interface Filter {
  field: string
  operator: string
  value: unknown
}

/** `[field, operator, value]`, optionally preceded by the doctype. */
function toFilter(filter: unknown): Filter {
  const [field, operator, value] = Array.isArray(filter) ? filter.slice(-3) : []
  return { field: String(field), operator: String(operator), value }
}

function passes(row: Row, { field, operator, value }: Filter): boolean {
  const own = row[field] ?? ''
  switch (operator) {
    case '=':
      return compare(own, value) === 0
    case '!=':
      return compare(own, value) !== 0
    case '>':
      return compare(own, value) > 0
    case '<=':
      return compare(own, value) <= 0
    case 'in':
      return Array.isArray(value) && value.some((each) => compare(own, each) === 0)
    default:
      return false
  }
}

function sorted(rows: Row[], field: string, isDescending: boolean): Row[] {
  return rows.sort((a, b) => (isDescending ? -1 : 1) * compare(a[field] ?? '', b[field] ?? ''))
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
}

function toList(text: string): unknown[] {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value : []
}
