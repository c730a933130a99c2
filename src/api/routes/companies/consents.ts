import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { readConsents } from '../../../store/connections/consent-lists.ts'
import type { Consent } from '../../../store/connections/consents.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import { readers } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const Statements = Type.Array(Type.String())

const ConsentShape = strict(
  {
    id: Uuid,
    companyId: Uuid,
    serviceId: Type.String({ format: 'uuid', description: 'Of the connection, e.g. the bank; of the link while there is none' }),
    sessionId: orNull(Type.String({ format: 'uuid', description: 'Of the connection that came of it' })),
    linkId: Uuid,
    purpose: Type.String({ description: 'Key of the purpose; `service` is the deployment’s own' }),
    purposeVersion: Type.Integer({ description: '0 for the deployment’s own text' }),
    language: Type.String({ enum: ['en', 'fr'], description: 'In which the owner read it' }),
    timeZone: orNull(
      Type.String({
        description: 'IANA name of the zone in whose days the owner reads it; null where it is not known',
        examples: ['America/Toronto'],
      }),
    ),
    durationDays: Type.Integer(),
    givenOn: PlainTimestamp,
    expiresOn: PlainTimestamp,
    endedOn: orNull(PlainTimestamp),
    endedHow: orNull(
      Type.String({
        enum: ['withdrawn', 'expired', 'disconnected', 'replaced', 'unused', 'declined'],
        description:
          'By the owner, by its duration, by the developer, by a newer consent, because no connection came of it, or never given: the owner was asked and declined',
      }),
    ),
    textHash: Type.String({ description: 'SHA-256 of the texts, hexadecimal' }),
    texts: strict({ en: Statements, fr: Statements }, { description: 'What was shown, word for word' }),
  },
  { title: 'Consent' },
)

const LIST = {
  filter: {
    id: 'uuid',
    companyId: 'uuid',
    serviceId: 'uuid',
    sessionId: 'uuid',
    linkId: 'uuid',
    purpose: 'string',
    purposeVersion: 'number',
    language: 'string',
    durationDays: 'number',
    givenOn: 'date',
    expiresOn: 'date',
    endedOn: 'date',
    endedHow: 'string',
  },
  orderBy: ['givenOn', 'expiresOn', 'endedOn', 'purpose'],
} as const

const tags = ['Consents']
const querystring = listQuerySchema(LIST)
const response = { 200: pageOf(ConsentShape) }

/** Consent ledger: what owners agreed to, until when, and how it ended. */
export function consentRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listConsentsOfCompanyRoute, listConsentsOfConnectionRoute, listConsentsRoute])
}

const listConsentsOfCompanyRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/company/:companyId/consents',
    replica: true,
    scope: 'consents:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Consents of a company',
      operationId: 'listCompanyConsents',
      params: strict({ companyId: Uuid }),
      querystring,
      response,
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    const list = readListQuery(request.query, LIST)
    const { consents, total } = await readConsents(database, { instanceId, companyId }, list)
    return listPage(reply, list, consents.map(present), total)
  },
)

const listConsentsOfConnectionRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/company/:companyId/data-connection/:serviceId/consents',
    replica: true,
    scope: 'consents:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Consents of the connections of a company to a service',
      operationId: 'listConnectionConsents',
      params: strict({ companyId: Uuid, serviceId: Uuid }),
      querystring,
      response,
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const { database } = deps
    const { instanceId } = request.caller
    const { companyId, serviceId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    if (!(await findService(database, deps.sync.sources, instanceId, serviceId))) throw notFound('service')
    const list = readListQuery(request.query, LIST)
    const { consents, total } = await readConsents(database, { instanceId, companyId, serviceId }, list)
    return listPage(reply, list, consents.map(present), total)
  },
)

const listConsentsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/consents',
    replica: true,
    scope: 'consents:read',
    roles: readers,
    schema: { tags, summary: 'Consents of all companies', operationId: 'listConsents', querystring, response },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const { consents, total } = await readConsents(database, { instanceId: request.caller.instanceId }, list)
    return listPage(reply, list, consents.map(present), total)
  },
)

function present(consent: Consent) {
  return {
    id: consent.id,
    companyId: consent.companyId,
    serviceId: consent.serviceId,
    sessionId: consent.connectionId,
    linkId: consent.linkId,
    purpose: consent.purposeKey,
    purposeVersion: consent.purposeVersion,
    language: consent.language === 'en' ? 'en' : 'fr',
    timeZone: consent.timeZone,
    durationDays: consent.durationDays,
    givenOn: toPlainTimestamp(consent.givenAt),
    expiresOn: toPlainTimestamp(consent.expiresAt),
    endedOn: consent.endedAt && toPlainTimestamp(consent.endedAt),
    endedHow: consent.endedHow,
    textHash: consent.textHash,
    texts: { en: [...consent.texts.en], fr: [...consent.texts['fr-CA']] },
  }
}
