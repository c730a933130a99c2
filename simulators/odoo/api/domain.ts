import type { Row } from '../data/chart.ts'
import { exceptions } from './exceptions.ts'

type Test = (row: Row) => boolean

/**
 * Predicate of a domain: clauses joined by `and` unless preceded by `|`, `&` or `!`. A reference `[id, name]` counts
 * as its id, a list of ids as any of them. `parentsOf` returns a company and its ancestors.
 */
export function toTest(domain: unknown, fields: ReadonlySet<string>, parentsOf: (id: number) => number[]): Test {
  if (!Array.isArray(domain)) throw exceptions.wrongArgument('Domain() is not a list')
  const left = [...domain]
  const tests: Test[] = []
  while (left.length > 0) tests.push(takeTerm(left, fields, parentsOf))
  return (row) => tests.every((test) => test(row))
}

function takeTerm(left: unknown[], fields: ReadonlySet<string>, parentsOf: (id: number) => number[]): Test {
  const term = left.shift()
  if (term === '|' || term === '&') {
    const [a, b] = [takeTerm(left, fields, parentsOf), takeTerm(left, fields, parentsOf)]
    return term === '|' ? (row) => a(row) || b(row) : (row) => a(row) && b(row)
  }
  if (term === '!') {
    const a = takeTerm(left, fields, parentsOf)
    return (row) => !a(row)
  }
  if (!Array.isArray(term) || term.length !== 3) throw exceptions.wrongArgument('malformed domain term')
  return toClause(String(term[0]), String(term[1]), term[2], fields, parentsOf)
}

function toClause(
  field: string,
  operator: string,
  wanted: unknown,
  fields: ReadonlySet<string>,
  parentsOf: (id: number) => number[],
): Test {
  if (field !== 'id' && !fields.has(field)) throw exceptions.wrongArgument(`Invalid field ${field} in leaf`)
  const valuesOf = (row: Row) => toValues(row[field])
  switch (operator) {
    case '=':
      return (row) => valuesOf(row).includes(wanted)
    case '!=':
      return (row) => !valuesOf(row).includes(wanted)
    case 'in':
      return (row) => valuesOf(row).some((value) => toValues(wanted, true).includes(value))
    case 'parent_of': {
      const wide = new Set(toValues(wanted, true).flatMap((id) => parentsOf(Number(id))))
      return (row) => valuesOf(row).some((value) => wide.has(Number(value)))
    }
    case '>':
      return (row) => valuesOf(row).some((value) => compare(value, wanted) > 0)
    case '>=':
      return (row) => valuesOf(row).some((value) => compare(value, wanted) >= 0)
    case '<':
      return (row) => valuesOf(row).some((value) => compare(value, wanted) < 0)
    default:
      throw exceptions.wrongArgument(`Invalid operator ${operator}`)
  }
}

function toValues(value: unknown, isList = false): unknown[] {
  if (!Array.isArray(value)) return [value]
  return !isList && value.length === 2 && typeof value[1] === 'string' ? [value[0]] : value
}

/** Compares numbers by value and text by code points; incomparable values are neither greater nor less. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0
  return Number.NaN
}
