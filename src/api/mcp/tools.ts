import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'

/** API read that answers a call. */
export interface ToolRead {
  /** Path below the prefix of the API. */
  path: string
  query: Record<string, string>
  companyId: string | null
  /** Path of the lists whose records have explanations; null if there are none. */
  recordsPath: string | null
}

export interface Tool {
  name: string
  description: string
  input: TObject
  /** Null for arguments that do not match the schema. */
  read(input: unknown): ToolRead | null
}

const CompanyId = uuid('Id from list_companies')
const ServiceId = uuid('serviceId from list_connections')
const Category = Type.Union([Type.Literal('accountancy'), Type.Literal('banking')])
const Entity = Type.Union([Type.Literal('accounts'), Type.Literal('transactions')])
const Page = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 10, maximum: 50, description: 'Default 20' })),
}
const PAGE_SIZE = 20
const Filter = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'Clauses name op value joined by && or ||; ops = != ~ (contains) > < >= <=. Example: amount>100',
  }),
)

/** Tools of the server; all are read-only. */
export const TOOLS: readonly Tool[] = [
  tool('list_companies', 'Companies whose data can be read.', { filter: Filter, ...Page }, (input) => ({
    path: '/normalized-data/companies',
    query: listQuery(input),
  })),
  tool('list_connections', 'Sources of a company: service ids, category, status.', { companyId: CompanyId, ...Page }, (input) => ({
    path: `/normalized-data/company/${input.companyId}/data-connection/statuses`,
    query: listQuery(input),
  })),
  tool(
    'list_company_accounts',
    'Bank accounts of a company at all of its sources, each once.',
    { companyId: CompanyId, ...Page },
    (input) => ({
      path: `/normalized-data/companies/${input.companyId}/accounts`,
      query: listQuery(input),
      recordsPath: `/normalized-data/${input.companyId}/banking/accounts`,
    }),
  ),
  tool(
    'list_records',
    'Accounts or transactions of a company at one source, with exact amounts and the address of each record’s explanation.',
    { companyId: CompanyId, serviceId: ServiceId, category: Category, entity: Entity, filter: Filter, ...Page },
    (input) => {
      const recordsPath = `/normalized-data/${input.companyId}/${input.category}/${input.entity}`
      return { path: `${recordsPath}/${input.serviceId}`, query: listQuery(input), recordsPath }
    },
  ),
  tool(
    'explain_record',
    'Where each field of a record comes from: raw value, rule, run.',
    {
      companyId: CompanyId,
      serviceId: ServiceId,
      category: Category,
      entity: Entity,
      // A segment of dots would change the path.
      recordId: Type.String({ minLength: 1, maxLength: 400, pattern: '^(?!\\.{1,2}$)', description: 'id or origId' }),
    },
    (input) => {
      const { companyId, category, entity, serviceId, recordId } = input
      return { path: `/normalized-data/${companyId}/${category}/${entity}/${serviceId}/${encodeURIComponent(recordId)}/explanation` }
    },
  ),
  tool(
    'get_quality',
    'How fresh and complete the data of a company at a source are.',
    { companyId: CompanyId, serviceId: ServiceId },
    (input) => ({ path: `/normalized-data/company/${input.companyId}/data-connection/${input.serviceId}/quality` }),
  ),
]

function tool<Input extends Record<string, TSchema>>(
  name: string,
  description: string,
  properties: Input,
  toRead: (input: Static<TObject<Input>>) => { path: string; query?: Record<string, string>; recordsPath?: string },
): Tool {
  const input = Type.Object(properties, { additionalProperties: false })
  const read = (given: unknown): ToolRead | null => {
    if (!Check(input, given)) return null
    const { companyId } = given as { companyId?: string }
    return { query: {}, recordsPath: null, companyId: companyId?.toLowerCase() ?? null, ...toRead(given) }
  }
  return { name, description, input, read }
}

function listQuery({ page = 1, pageSize = PAGE_SIZE, filter }: { page?: number; pageSize?: number; filter?: string }) {
  return { PageNumber: String(page), PageSize: String(pageSize), ...(filter === undefined ? {} : { FilterQuery: filter }) }
}

function uuid(description: string) {
  return Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$', description })
}

/** JSON Schema of a tool's arguments as listed: without patterns, which only the server needs. */
export function listedSchema({ input }: Tool): { type: 'object' } & Record<string, unknown> {
  const text = JSON.stringify(input, (name, value: unknown) => (name === 'pattern' ? undefined : value))
  return { type: 'object', ...(JSON.parse(text) as Record<string, unknown>) }
}
