import { type TProperties, type TSchema, Type } from 'typebox'
import type { ColumnType, Filter, Selection } from '../../store/db/list-selection.ts'
import { badField } from '../errors/errors.ts'
import { strict } from '../schemas/schemas.ts'
import { FilterError, parseFilter } from './filter-query.ts'

const DEFAULT_PAGE_SIZE = 100

/** Query parameters of every list. */
const listParameters = {
  PageNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999, default: 1, description: 'Which page, from 1' })),
  PageSize: Type.Optional(Type.Integer({ minimum: 10, maximum: 500, default: DEFAULT_PAGE_SIZE, description: 'Most items on a page' })),
  Desc: Type.Optional(Type.Boolean({ default: false, description: 'Whether the order is turned round' })),
}

/** Language of `FilterQuery`, said once in the description of the API. */
export const FILTER_RULES =
  'Clauses `name op value`, joined by `&&` and `||` (`&&` binds tighter), at most 100. `~` is contains, in any letter case (of the name, the industry, the city and the external id of a company also with or without accents). Texts with `&&` or `||` ' +
  'stand in quotes. Instants are `YYYY-MM-DDTHH:MM:SS.ssssss`, in UTC or with an offset such as `-05:00`, and a day alone is its midnight in UTC; ' +
  'days are `YYYY-MM-DD`. An absent value is found by `= null` and by `!=` anything else, and by no other comparison.'

const OPERATOR_WORDS: Record<ColumnType, string> = {
  string: 'text: = != ~',
  number: 'number: = != > < >= <=',
  date: 'instant: = != > < >= <=',
  day: 'day: = != > < >= <=',
  boolean: 'true or false: = !=',
  uuid: 'UUID: = !=',
}

/** Filter parameter of a list over `properties`. */
export function filterParameter(properties: ListDefinition['filter']) {
  const types = [...new Set(Object.values(properties))]
  const groups = types.map((type) => {
    const names = Object.keys(properties).filter((name) => properties[name] === type)
    return `${names.map((name) => `\`${name}\``).join(', ')} (${OPERATOR_WORDS[type]})`
  })
  return Type.Optional(
    Type.String({
      maxLength: 2048,
      description: `Clauses as described under “Filters”. Properties: ${groups.join('; ')}.`,
      examples: [filterExample(properties)],
    }),
  )
}

/** Example: the last month by the first day or instant property, otherwise one clause. */
function filterExample(properties: ListDefinition['filter']): string {
  const time = Object.keys(properties).find((name) => properties[name] === 'day' || properties[name] === 'date')
  if (time !== undefined) return `${time}>=2026-11-01 && ${time}<2026-12-01`
  const text = Object.keys(properties).find((name) => properties[name] === 'string')
  return text === undefined ? '' : `${text}~a`
}

export interface ListQuery {
  PageNumber?: number
  PageSize?: number
  OrderBy?: string
  Desc?: boolean
  FilterQuery?: string
}

export interface ListDefinition {
  /** Properties allowed in `FilterQuery`, with their types. */
  filter: Readonly<Record<string, ColumnType>>
  /** Properties allowed in `OrderBy`; the first one is the default. */
  orderBy: readonly [string, ...string[]]
}

/** Requested page of a list. */
export interface ListRequest extends Selection {
  pageNumber: number
  pageSize: number
}

/**
 * Query schema of a list, with `extra` parameters of its own. Parameter names are case-insensitive, unknown and
 * repeated ones are rejected, both before validation (`query-names.ts`).
 */
export function listQuerySchema<Extra extends TProperties = Record<never, TSchema>>(definition: ListDefinition, extra?: Extra) {
  const orderBy = Type.Optional(
    Type.String({ enum: [...definition.orderBy], default: definition.orderBy[0], description: 'The one property that orders the list' }),
  )
  const FilterQuery = filterParameter(definition.filter)
  return Type.Object({ ...listParameters, FilterQuery, OrderBy: orderBy, ...(extra as Extra) }, { additionalProperties: false })
}

/** Reads a validated query; an invalid filter is a 400 with the reason. */
export function readListQuery(query: ListQuery, definition: ListDefinition): ListRequest {
  const pageNumber = query.PageNumber ?? 1
  const pageSize = query.PageSize ?? DEFAULT_PAGE_SIZE
  return {
    pageNumber,
    pageSize,
    limit: pageSize,
    offset: (pageNumber - 1) * pageSize,
    orderBy: query.OrderBy ?? definition.orderBy[0],
    descending: query.Desc ?? false,
    filter: readFilter(query.FilterQuery, definition.filter),
  }
}

/** The same request with the store's names of properties, where they are other than the API's. */
export function withStoreNames(list: ListRequest, names: Readonly<Record<string, string>>): ListRequest {
  const nameOf = (name: string) => names[name] ?? name
  const filter = list.filter.map((group) => group.map((clause) => ({ ...clause, property: nameOf(clause.property) })))
  return { ...list, orderBy: nameOf(list.orderBy), filter }
}

/** An absent filter matches everything; an invalid one is a 400 with the reason. */
export function readFilter(text: string | undefined, properties: ListDefinition['filter']): Filter {
  try {
    return parseFilter(text ?? '', properties)
  } catch (error) {
    if (error instanceof FilterError) throw badField('FilterQuery', error.message)
    throw error
  }
}

/** Envelope of a list: `count` is the number of items on this page. */
export function pageOf<Item extends TSchema>(item: Item) {
  return strict({ pageNumber: Type.Integer(), pageSize: Type.Integer(), count: Type.Integer(), data: Type.Array(item) })
}
