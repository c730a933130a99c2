import { quoteValue } from '../../api/filters.ts'
import type { Category } from '../../api/generated/types.ts'

/** Filter of a record list; an empty field does not filter. Days are `YYYY-MM-DD`. */
export interface DataFilter {
  search: string
  status: string
  type: string
  from: string
  to: string
  /** Clauses in the syntax of `FilterQuery`. */
  expression: string
}

/** API properties behind the filter's fields. */
export interface FilterProperties {
  search: readonly string[]
  status?: string
  type?: string
  day?: string
}

export const ACCOUNT_PROPERTIES: Record<Category, FilterProperties> = {
  Accounting: { search: ['name', 'number'], status: 'statusSystem', type: 'typeSystem' },
  Banking: { search: ['accountName', 'accountNumber'], status: 'accountStatusSystem', type: 'typeSystem' },
}

/** `FilterQuery` of a filter. NOTE the API has no brackets, so every "or" is expanded to a disjunction. */
export function toFilterQuery(filter: DataFilter, properties: FilterProperties): string {
  const { status, type, day } = properties
  const fixed = [
    ...(status !== undefined && filter.status !== '' ? [`${status}=${quoteValue(filter.status)}`] : []),
    ...(type !== undefined && filter.type !== '' ? [`${type}=${quoteValue(filter.type)}`] : []),
    ...(day !== undefined && filter.from !== '' ? [`${day}>=${filter.from}`] : []),
    ...(day !== undefined && filter.to !== '' ? [`${day}<=${filter.to}`] : []),
  ]
  const words = filter.search === '' ? [''] : properties.search.map((name) => `${name}~${quoteValue(filter.search)}`)
  const groups = splitExpression(filter.expression)
  return groups.flatMap((group) => words.map((word) => [group, word, ...fixed].filter(Boolean).join('&&'))).join('||')
}

const CLAUSE = /^[A-Za-z][A-Za-z0-9]{0,63}\s*(?:!=|>=|<=|=|~|>|<)\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"'](?:(?!&&|\|\|).)*)\s*/s

/** Whether the clauses are well-formed; unknown properties are reported by the API. */
export function isReadable(expression: string): boolean {
  let rest = expression.trim()
  if (rest === '') return true
  for (;;) {
    const clause = CLAUSE.exec(rest)?.[0]
    if (clause === undefined) return false
    rest = rest.slice(clause.length)
    if (rest === '') return true
    if (!/^(&&|\|\|)/.test(rest)) return false
    rest = rest.slice(2).trimStart()
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\|\||[\s\S]/g

/** Parts between `||` outside quotes; one empty part for an empty expression. */
function splitExpression(expression: string): string[] {
  const parts = ['']
  for (const [token] of expression.matchAll(TOKEN)) {
    if (token === '||') parts.push('')
    else parts.push(`${parts.pop()}${token}`)
  }
  return parts.map((part) => part.trim())
}
