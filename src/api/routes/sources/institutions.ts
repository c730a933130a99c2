import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { inTransaction } from '../../../store/db/database.ts'
import { searchInstitutions } from '../../../store/sources/institution-search.ts'
import {
  answerInstitutionRequest,
  createInstitutionRequest,
  findInstitutionRequest,
  type InstitutionRequest,
  listInstitutionRequests,
} from '../../../store/sources/institutions.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { ensureDirectory } from '../../../sync/sources/directory.ts'
import { developers, operators, readers } from '../../access/caller.ts'
import { issuerOf } from '../../access/keys/issuer.ts'
import { notFound, orNotFound, serviceNotEnabled, unavailable } from '../../errors/errors.ts'
import { newIdFor } from '../../http/idempotency.ts'
import { route, routes } from '../../http/route.ts'
import { pageOf } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const InstitutionShape = strict(
  {
    id: Type.String({ description: "The aggregator's own id" }),
    name: Type.String(),
    countries: Type.Array(Type.String()),
    routingNumbers: Type.Array(Type.String()),
    url: orNull(Type.String()),
  },
  { title: 'Institution' },
)

const RequestInput = strict(
  {
    serviceId: Uuid,
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
    url: Type.Optional(Type.String({ maxLength: 500 })),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { examples: [{ serviceId: '0b7a6c54-3f10-4f0e-8f43-0a6d1f1d2c01', name: 'Caisse populaire de Rimouski', country: 'CA' }] },
)

const RequestShape = strict(
  {
    id: Uuid,
    serviceId: Uuid,
    name: Type.String(),
    country: Type.String(),
    url: Type.String(),
    note: Type.String(),
    state: Type.String({ enum: ['open', 'answered'] }),
    requestedBy: Type.String(),
    createdOn: PlainTimestamp,
    answer: Type.String({ description: 'Empty while the request is open' }),
    answeredOn: orNull(PlainTimestamp),
  },
  { title: 'InstitutionRequest' },
)

const AnswerInput = strict(
  { answer: Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' }) },
  { examples: [{ answer: 'Available from Monday on.' }] },
)

const Search = strict({
  search: Type.Optional(
    Type.String({ maxLength: 100, description: 'Words of a name, in English or French, with or without accents; or a routing number' }),
  ),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  PageNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999, default: 1 })),
  PageSize: Type.Optional(Type.Integer({ minimum: 10, maximum: 500, default: 100 })),
})

/** Wait for a directory that is loaded for the first time; a large one takes longer, and the response asks to retry. */
const DIRECTORY_WAIT_MS = 5_000

const tags = ['Institutions']

/** Institutions of an aggregator, and requests for missing ones. */
export function institutionRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [
    searchInstitutionsRoute,
    requestInstitutionRoute,
    listInstitutionRequestsRoute,
    getInstitutionRequestRoute,
    answerInstitutionRequestRoute,
  ])
}

const searchInstitutionsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/services/:serviceId/institutions',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Search the institutions of an aggregator',
      operationId: 'searchInstitutions',
      params: strict({ serviceId: Uuid }),
      querystring: Search,
      response: { 200: pageOf(InstitutionShape) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const service = await findService(database, deps.sync.sources, request.caller.instanceId, request.params.serviceId)
    if (!service?.source.description.hasInstitutions) throw notFound('service with institutions')
    const state = await ensureDirectory(deps.sync, service.source, DIRECTORY_WAIT_MS)
    if (state === 'noKeys') throw serviceNotEnabled(state)
    if (state === 'beingRead') throw unavailable(2, undefined, 'The directory of this aggregator is being read for the first time.')
    const { search = '', country, PageNumber = 1, PageSize = 100 } = request.query
    const page = { limit: PageSize, offset: (PageNumber - 1) * PageSize }
    const wanted = { text: search.trim(), ...(country === undefined ? {} : { country }) }
    const { institutions, total } = await searchInstitutions(database, service.source.directory, wanted, page)
    return listPage(reply, { pageNumber: PageNumber, pageSize: PageSize }, institutions, total)
  },
)

const requestInstitutionRoute = route(
  {
    method: 'POST',
    url: '/normalized-data/institution-requests',
    scope: 'links:write',
    roles: operators,
    audit: 'institution.requested',
    schema: {
      tags,
      summary: 'Ask for an institution that is missing',
      operationId: 'requestInstitution',
      body: RequestInput,
      response: { 201: RequestShape },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    const service = await findService(database, deps.sync.sources, instanceId, request.body.serviceId)
    if (!service?.source.description.hasInstitutions) throw notFound('service with institutions')
    const { issuedBy } = await issuerOf(database, request.caller)
    const id = newIdFor(request)
    const wanted = { url: '', note: '', ...request.body, id, requestedBy: issuedBy }
    const created = await inTransaction(database, async (db) => {
      const isRepeated = (await findInstitutionRequest(db, instanceId, id)) !== null
      const after = await createInstitutionRequest(db, instanceId, wanted)
      if (!isRepeated) await recordChange(db, { instanceId, action: 'institution.requested', subject: `institution-request/${id}`, after })
      return after
    })
    reply.code(201)
    return present(created)
  },
)

const listInstitutionRequestsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/institution-requests',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Institutions that were asked for',
      operationId: 'listInstitutionRequests',
      response: { 200: Type.Array(RequestShape) },
    },
  },
  async ({ database }: RouteDeps, request) => (await listInstitutionRequests(database, request.caller.instanceId)).map(present),
)

const getInstitutionRequestRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/institution-requests/:requestId',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'One request for an institution',
      operationId: 'getInstitutionRequest',
      params: strict({ requestId: Uuid }),
      response: { 200: RequestShape },
    },
  },
  async ({ database }: RouteDeps, request) => {
    const found = await findInstitutionRequest(database, request.caller.instanceId, request.params.requestId)
    if (!found) throw notFound('institution request')
    return present(found)
  },
)

const answerInstitutionRequestRoute = route(
  {
    method: 'PUT',
    url: '/normalized-data/institution-requests/:requestId',
    scope: 'settings:write',
    roles: developers,
    audit: 'institution.answered',
    schema: {
      tags,
      summary: 'Answer a request for an institution',
      operationId: 'answerInstitutionRequest',
      params: strict({ requestId: Uuid }),
      body: AnswerInput,
      response: { 200: RequestShape },
    },
  },
  async (deps: RouteDeps, request) => {
    const { database } = deps
    const answer = { text: request.body.answer.trim(), at: deps.now() }
    const { instanceId } = request.caller
    const { requestId } = request.params
    const answered = await inTransaction(database, async (db) => {
      const after = orNotFound(await answerInstitutionRequest(db, instanceId, requestId, answer), 'institution request')
      await recordChange(db, { instanceId, action: 'institution.answered', subject: `institution-request/${requestId}`, after })
      return after
    })
    return present(answered)
  },
)

function present(request: InstitutionRequest) {
  const answeredOn = request.answeredOn && toPlainTimestamp(request.answeredOn)
  return { ...request, createdOn: toPlainTimestamp(request.createdOn), answeredOn }
}
