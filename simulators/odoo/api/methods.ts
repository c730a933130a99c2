import type { Faults } from '../../kit/faults.ts'
import type { Row } from '../data/chart.ts'
import type { FaultName } from '../faults.ts'
import { toTest } from './domain.ts'
import { exceptions } from './exceptions.ts'
import { type Model, parentsOf } from './models.ts'
import { toDriftedRows } from './schema-drift.ts'

type Named = Readonly<Record<string, unknown>>

/** `search_read` and similar methods, with arguments by name. Missing arguments take Odoo's defaults. */
export function searchRead(name: string, model: Model, named: Named, context: Named, faults: Faults<FaultName>): Record<string, unknown>[] {
  const domain = named.domain ?? []
  const found = select(model, domain, context)
  sortRows(found, typeof named.order === 'string' ? named.order : 'id asc')
  const offset = typeof named.offset === 'number' ? named.offset : 0
  const limit = typeof named.limit === 'number' ? named.limit : found.length
  let rows = found.slice(offset, offset + limit)
  const after = idAfter(domain)
  if (after > 0 && (name === 'account.account' || name === 'account.move')) {
    const before = () => select(model, withoutAfter(domain), context).filter(({ id }) => id <= after)
    if (faults.take('repeatPage')) rows = before().slice(-limit)
    else if (faults.take('duplicateIds')) rows = [...before().slice(-3), ...rows]
  }
  const wanted = Array.isArray(named.fields) ? named.fields.map(String) : [...model.fields]
  const unknown = wanted.find((field) => field !== 'id' && !model.fields.has(field))
  if (unknown !== undefined) throw exceptions.wrongArgument(`Invalid field '${unknown}' on '${name}'`)
  const read = rows.map((row) => Object.fromEntries([['id', row.id], ...wanted.map((field) => [field, row[field] ?? false])]))
  return name === 'account.account' && faults.take('schemaDrift') ? toDriftedRows(read) : read
}

export function fieldsGet(model: Model, named: Named): Record<string, { type: string }> {
  const wanted = Array.isArray(named.allfields) ? named.allfields.map(String) : [...model.fields]
  return Object.fromEntries(wanted.filter((field) => model.fields.has(field)).map((field) => [field, { type: 'char' }]))
}

/** Archived records are omitted unless the context or the domain requests them. */
function select(model: Model, domain: unknown, context: Named): Row[] {
  const test = toTest(domain, model.fields, parentsOf)
  const showsArchived = !model.fields.has('active') || context.active_test === false || JSON.stringify(domain).includes('"active"')
  return model.rows.filter((row) => (showsArchived || row.active !== false) && test(row))
}

/** Orders such as `id desc` and `code, id`, with fields of the models only. */
function sortRows(rows: Row[], order: string): void {
  const keys = order.split(',').map((part) => part.trim().split(/\s+/))
  rows.sort((a, b) => {
    for (const [field = 'id', direction = 'asc'] of keys) {
      const [x, y] = [a[field], b[field]]
      const difference = typeof x === 'number' && typeof y === 'number' ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0
      if (difference !== 0) return direction.toLowerCase() === 'desc' ? -difference : difference
    }
    return 0
  })
}

function idAfter(domain: unknown): number {
  const clause = Array.isArray(domain) ? domain.find(isAfter) : undefined
  return Array.isArray(clause) ? Number(clause[2]) : 0
}

function withoutAfter(domain: unknown): unknown {
  return Array.isArray(domain) ? domain.filter((clause) => !isAfter(clause)) : domain
}

function isAfter(clause: unknown): boolean {
  return Array.isArray(clause) && clause[0] === 'id' && clause[1] === '>'
}
