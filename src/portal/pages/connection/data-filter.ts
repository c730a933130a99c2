import { quoteValue } from '../../api/filters.ts'

/** What a list of records is narrowed down by; empty where it is not. Days are `YYYY-MM-DD`. */
export interface DataFilter {
  search: string
  status: string
  type: string
  from: string
  to: string
  /** Clauses as the API takes them. */
  expression: string
}

/** The properties that stand behind the fields, as this list of the API has them. */
export interface FilterProperties {
  search: readonly string[]
  status?: string
  type?: string
  day?: string
}

/** A filter that holds all that is asked for. NOTE the API knows no brackets, so each part with an "or" is multiplied out. */
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

/** Whether the API can read these clauses; whether it knows the properties, it says itself. */
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

/** The parts between `||`, but not of one that stands in quotes; one empty part where there is nothing. */
function splitExpression(expression: string): string[] {
  const parts = ['']
  for (const [token] of expression.matchAll(TOKEN)) {
    if (token === '||') parts.push('')
    else parts.push(`${parts.pop()}${token}`)
  }
  return parts.map((part) => part.trim())
}
