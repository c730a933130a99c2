import type { Row } from '../data/chart.ts'
import { type Condition, type Query, QueryError } from './query.ts'

/**
 * Properties that a WHERE or ORDERBY may name.
 * Source: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account
 */
const FILTERABLE: Readonly<Record<string, readonly string[]>> = {
  Account: [
    'Id',
    'Name',
    'SubAccount',
    'ParentRef',
    'Description',
    'FullyQualifiedName',
    'Active',
    'Classification',
    'AccountType',
    'AccountSubType',
    'AcctNum',
    'CurrentBalance',
    'MetaData.CreateTime',
    'MetaData.LastUpdatedTime',
  ],
  JournalEntry: ['Id', 'DocNumber', 'TxnDate', 'TotalAmt', 'PrivateNote', 'MetaData.CreateTime', 'MetaData.LastUpdatedTime'],
  CompanyInfo: ['Id', 'CompanyName', 'MetaData.CreateTime', 'MetaData.LastUpdatedTime'],
}

/** Matching rows in order, before paging. Inactive accounts are omitted unless the query mentions `Active`. */
export function selectRows(query: Query, rows: readonly Row[]): Row[] {
  const known = FILTERABLE[query.entity] ?? []
  for (const { property } of [...query.conditions, ...query.order]) {
    if (!known.includes(property))
      throw new QueryError('4001', `QueryValidationError: Property ${property} not found for Entity ${query.entity}`)
  }
  const implied: Condition[] =
    query.entity === 'Account' && !query.conditions.some(({ property }) => property === 'Active')
      ? [{ property: 'Active', operator: '=', values: ['true'] }]
      : []
  const conditions = [...query.conditions, ...implied]
  const fitting = rows.filter((row) => conditions.every((condition) => fits(row, condition)))
  const orders = query.order.length > 0 ? query.order : [{ property: 'Id', descending: false }]
  const keyed = fitting.map((row) => ({ row, keys: orders.map(({ property }) => readProperty(row, property)) }))
  keyed.sort((a, b) => {
    for (const [index, { descending }] of orders.entries()) {
      const compared = compare(a.keys[index] ?? '', b.keys[index] ?? '')
      if (compared !== 0) return descending ? -compared : compared
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

/** Reduces a row to the requested properties and those that are always returned. */
export function project(row: Row, properties: readonly string[] | null): Row {
  if (properties === null) return row
  const wanted = new Set([...properties.map((property) => property.split('.')[0] ?? ''), 'Id', 'domain', 'sparse'])
  return { Id: row.Id, ...Object.fromEntries(Object.entries(row).filter(([name]) => wanted.has(name))) }
}

function fits(row: Row, condition: Condition): boolean {
  const actual = readProperty(row, condition.property)
  const [first = ''] = condition.values
  switch (condition.operator) {
    case 'IN':
      return condition.values.some((value) => compare(actual, value) === 0)
    case 'LIKE':
      return toPattern(first).test(actual)
    case '=':
      return compare(actual, first) === 0
    case '!=':
      return compare(actual, first) !== 0
    case '<':
      return compare(actual, first) < 0
    case '>':
      return compare(actual, first) > 0
    case '<=':
      return compare(actual, first) <= 0
    case '>=':
      return compare(actual, first) >= 0
  }
}

function toPattern(like: string): RegExp {
  const escaped = like.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%', '.*')
  return new RegExp(`^${escaped}$`, 'is')
}

/** Compares numbers by value, instants by time, and everything else as text. */
function compare(a: string, b: string): number {
  if (/^-?\d+(\.\d+)?$/.test(a) && /^-?\d+(\.\d+)?$/.test(b)) return Number(a) - Number(b)
  if (/^\d{4}-\d\d-\d\dT/.test(a) && /^\d{4}-\d\d-\d\d/.test(b)) return Date.parse(a) - Date.parse(b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** A row that was never updated counts as updated when it was created. */
function readProperty(row: Row, property: string): string {
  const value = property.split('.').reduce<unknown>((at, name) => childOf(at, name), row)
  if (value === undefined && property === 'MetaData.LastUpdatedTime') return readProperty(row, 'MetaData.CreateTime')
  const plain = childOf(value, 'value') ?? value
  return plain === undefined || plain === null ? '' : String(plain)
}

function childOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Object(value)[name] : undefined
}
