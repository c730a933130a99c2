import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { recordChange } from '../../../audit/record.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { type Database, inTransaction } from '../../../store/db/database.ts'
import { countOwnerAccesses, revokeOwnerAccesses } from '../../../store/owners/owner-accesses.ts'
import { listReceipts } from '../../../store/owners/receipts.ts'
import { operators, readers } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { NoContent, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const ReceiptShape = strict(
  {
    id: Uuid,
    companyId: Uuid,
    sessionId: Uuid,
    kind: Type.String({ enum: ['withdrawal', 'deletion'] }),
    serviceName: Type.String(),
    issuedOn: PlainTimestamp,
    signed: Type.String({ description: 'The whole receipt as a compact JSON Web Signature; its keys are at /connect/receipts/keys' }),
  },
  { title: 'Receipt' },
)

const LIST = {
  filter: { id: 'uuid', companyId: 'uuid', sessionId: 'uuid', kind: 'string', serviceName: 'string', issuedOn: 'date' },
  orderBy: ['issuedOn', 'kind', 'serviceName'],
} as const

const tags = ['Consents']

/** Receipts of owners' actions, and the addresses of their own pages. */
export function receiptRoutes(database: Database): FastifyPluginAsyncTypebox {
  return routes(database, [listReceiptsRoute, countOwnerAddressesRoute, revokeOwnerAddressesRoute])
}

const listReceiptsRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/receipts',
    replica: true,
    scope: 'consents:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Receipts of withdrawals and deletions',
      description: 'What owners got when they withdrew a permission or had data deleted.',
      operationId: 'listReceipts',
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(ReceiptShape) },
    },
  },
  async (database: Database, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const { receipts, total } = await listReceipts(database, request.caller.instanceId, list)
    const rows = receipts.map(({ id, companyId, connectionId, kind, serviceName, issuedAt, signed }) => {
      return { id, companyId, sessionId: connectionId, kind, serviceName, issuedOn: toPlainTimestamp(issuedAt), signed }
    })
    return listPage(reply, list, rows, total)
  },
)

const countOwnerAddressesRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/company/:companyId/owner-addresses',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags,
      summary: 'How many addresses of the owner’s own page have not been revoked',
      operationId: 'countOwnerAddresses',
      params: strict({ companyId: Uuid }),
      response: { 200: strict({ addresses: Type.Integer() }) },
    },
  },
  async (database: Database, request) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    return { addresses: await countOwnerAccesses(database, instanceId, companyId) }
  },
)

const revokeOwnerAddressesRoute = route(
  {
    method: 'DELETE',
    url: '/normalized-data/company/:companyId/owner-addresses',
    scope: 'links:write',
    roles: operators,
    audit: 'owner-page.addresses-revoked',
    schema: {
      tags,
      summary: 'Let no address of the owner’s own page open any more',
      description: 'For an address that has got into wrong hands. The owner gets a new one with the next link or message.',
      operationId: 'revokeOwnerAddresses',
      params: strict({ companyId: Uuid }),
      response: { 204: NoContent },
    },
  },
  async (database: Database, request, reply) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    await inTransaction(database, async (db) => {
      await revokeOwnerAccesses(db, instanceId, companyId)
      await recordChange(db, { instanceId, action: 'owner-page.addresses-revoked', subject: `company/${companyId}` })
    })
    return reply.code(204).send(null)
  },
)
