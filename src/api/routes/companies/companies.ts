import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { type Company, createCompany, ExternalIdTaken, findCompany, updateCompany } from '../../../store/connections/companies.ts'
import { listCompanies } from '../../../store/connections/company-list.ts'
import { type Database, type Db, inTransaction } from '../../../store/db/database.ts'
import { admitToQuota } from '../../../store/operators/quotas.ts'
import { operators, readers } from '../../access/caller.ts'
import { badField, conflict, orNotFound } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { deleteCompanyRoute } from './delete-company.ts'
import { MAX_WORDS, toSearchWords } from './search-words.ts'

const Text = Type.String({ maxLength: 500, default: '' })

const MAX_PAIRS = 20
const ExternalId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^\\S(.*\\S)?$',
  description:
    'Your own id of the company, unique in your instance (409), without spaces at its ends; events give it as `AccountExternalId`',
  examples: ['customer-4711'],
})

const CompanyInput = strict(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    industry: Type.Optional(Text),
    fullAddress: Type.Optional(Text),
    country: Type.Optional(Type.String({ pattern: '^([A-Z]{2})?$', description: 'ISO 3166-1 alpha-2, or empty', default: '' })),
    city: Type.Optional(Text),
    companyContactNumber: Type.Optional(Type.String({ maxLength: 50, default: '' })),
    externalId: Type.Optional(orNull(ExternalId)),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,40}$' }), Type.String({ maxLength: 500 }), {
        additionalProperties: false,
        maxProperties: MAX_PAIRS,
        description: `Your own pairs of name and value, at most ${MAX_PAIRS}: names of 1 to 40 letters, digits, \`_\`, \`.\` and \`-\`, values of at most 500 characters`,
        examples: [{ segment: 'bakeries' }],
      }),
    ),
  },
  { title: 'CompanyInput', examples: [{ name: 'Boulangerie du Plateau', country: 'CA', city: 'Montréal' }] },
)

const CompanyShape = strict(
  {
    id: Uuid,
    name: Type.String(),
    industry: Type.String(),
    fullAddress: Type.String(),
    country: Type.String(),
    city: Type.String(),
    createdOn: PlainTimestamp,
    companyContactNumber: Type.String(),
    externalId: orNull(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
  },
  { title: 'Company' },
)

const LIST = {
  filter: {
    id: 'uuid',
    name: 'string',
    industry: 'string',
    fullAddress: 'string',
    country: 'string',
    city: 'string',
    createdOn: 'date',
    companyContactNumber: 'string',
    externalId: 'string',
    'metadata.*': 'string',
  },
  orderBy: ['createdOn', 'id', 'name', 'industry', 'fullAddress', 'country', 'city', 'companyContactNumber', 'externalId'],
} as const

const Search = Type.Optional(
  Type.String({
    maxLength: 150,
    description: `Words, at most ${MAX_WORDS}, in any letter case, with or without accents: each is contained in the name, the industry, the city or the external id. The total of several words that are all common may be a lower bound (\`X-Total-Count-Relation: gte\`)`,
    examples: ['boulangerie plateau'],
  }),
)

const companyPath = strict({ companyId: Uuid })
const tags = ['Companies']

/** Company routes: the small businesses of an instance. */
export function companyRoutes(database: Database): FastifyPluginAsyncTypebox {
  return routes(database, [listCompaniesRoute, createCompanyRoute, ...readCompanyRoutes, updateCompanyRoute, deleteCompanyRoute])
}

const listCompaniesRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/companies',
    replica: true,
    scope: 'companies:read',
    roles: readers,
    schema: {
      tags,
      summary: 'All companies',
      operationId: 'listCompanies',
      querystring: listQuerySchema(LIST, { Search }),
      response: { 200: pageOf(CompanyShape) },
    },
  },
  async (database: Database, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const { companies, total } = await listCompanies(database, request.caller.instanceId, list, toSearchWords(request.query.Search))
    return listPage(reply, list, companies.map(present), total)
  },
)

const createCompanyRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/company',
    scope: 'companies:write',
    roles: operators,
    audit: 'company.created',
    schema: { tags, summary: 'Add a company', operationId: 'createCompany', body: CompanyInput, response: { 201: CompanyShape } },
  },
  async (database: Database, request, reply) => {
    const { instanceId } = request.caller
    const id = newIdFor(request)
    const company = await makeChange(database, async (db) => {
      const isRepeated = (await findCompany(db, instanceId, id)) !== null
      if (!isRepeated) await admitToQuota(db, instanceId, 'companies')
      const after = await createCompany(db, instanceId, id, complete(request.body))
      if (!isRepeated) await recordChange(db, { instanceId, action: 'company.created', subject: `company/${id}`, after })
      return after
    })
    reply.code(201)
    return present(company)
  },
)

const readCompanyRoutes = (
  [
    ['/normalized-data/companies/:companyId', 'getCompany', 'One company'],
    ['/normalized-data/company/:companyId', 'getCompanyByOtherPath', 'One company, under the path of the other operations on it'],
  ] as const
).map(([url, operationId, summary]) =>
  route(
    {
      method: 'GET',
      url,
      roles: readers,
      scope: 'companies:read',
      schema: { tags, summary, operationId, params: companyPath, response: { 200: CompanyShape } },
    },
    async (database: Database, request) => {
      return present(orNotFound(await findCompany(database, request.caller.instanceId, request.params.companyId), 'company'))
    },
  ),
)

const updateCompanyRoute = route(
  {
    method: 'PUT',
    url: '/normalized-data/companies/:companyId',
    scope: 'companies:write',
    roles: operators,
    audit: 'company.changed',
    schema: {
      tags,
      summary: 'Replace the details of a company',
      description: '`externalId` and `metadata` stay as they are where they are left out; null and `{}` clear them.',
      operationId: 'updateCompany',
      params: companyPath,
      body: CompanyInput,
      response: { 200: CompanyShape },
    },
  },
  async (database: Database, request) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    const company = await makeChange(database, async (db) => {
      const before = await findCompany(db, instanceId, companyId)
      const after = orNotFound(await updateCompany(db, instanceId, companyId, complete(request.body)), 'company')
      await recordChange(db, { instanceId, action: 'company.changed', subject: `company/${companyId}`, before, after })
      return after
    })
    return present(company)
  },
)

function complete(input: Static<typeof CompanyInput>) {
  for (const [name, value] of Object.entries({ externalId: input.externalId ?? '', ...input.metadata }))
    if (!value.isWellFormed()) throw badField(name, 'is not valid Unicode text')
  return { industry: '', fullAddress: '', country: '', city: '', companyContactNumber: '', ...input }
}

/** A transaction; 409 for an external id that another company has. */
async function makeChange<T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(database, work)
  } catch (error) {
    if (error instanceof ExternalIdTaken) throw conflict('Another company has this externalId.')
    throw error
  }
}

function present(company: Company) {
  return { ...company, createdOn: toPlainTimestamp(company.createdOn) }
}
