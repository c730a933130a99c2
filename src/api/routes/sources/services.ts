import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CATEGORIES } from '../../../model/catalogue.ts'
import { listServices, type Service } from '../../../sync/sources/catalogue.ts'
import { closedBy, readSourceAccess } from '../../../sync/sources/source-access.ts'
import { readers } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { selectInMemory } from '../../lists/list-in-memory.ts'
import { listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const ServiceShape = strict(
  {
    id: Uuid,
    isEnabled: Type.Boolean(),
    logoUrl: Type.String({ format: 'uri' }),
    name: Type.String(),
    title: Type.String(),
    parentId: orNull(Uuid),
    parentName: orNull(Type.String()),
    description: Type.String({ description: 'JSON text: locale tag to text', examples: ['{"en-CA":"…","fr-CA":"…"}'] }),
    categoryId: Uuid,
    category: Type.String({ enum: [...CATEGORIES], examples: ['Banking'] }),
    supportedEntities: Type.Array(Type.String(), { examples: [['Transactions', 'Accounts']] }),
  },
  { title: 'Service' },
)

const LIST = {
  filter: {
    id: 'uuid',
    isEnabled: 'boolean',
    name: 'string',
    title: 'string',
    parentId: 'uuid',
    parentName: 'string',
    description: 'string',
    categoryId: 'uuid',
    category: 'string',
  },
  orderBy: ['name', 'id', 'isEnabled', 'title', 'parentName', 'description', 'category'],
} as const

/** Catalogue as this instance sees it: all sources, and the banks it has reached. */
export function serviceRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listServicesRoute])
}

const listServicesRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/services',
    scope: 'connections:read',
    roles: readers,
    schema: {
      tags: ['Services'],
      summary: 'All services',
      operationId: 'listServices',
      querystring: listQuerySchema(LIST),
      response: { 200: pageOf(ServiceShape) },
    },
  },
  async (deps: RouteDeps, request, reply) => {
    const list = readListQuery(request.query, LIST)
    const access = await readSourceAccess(deps.database, request.caller.instanceId)
    const services = (await listServices(deps.database, deps.sync.sources, request.caller.instanceId)).map((service) =>
      present(deps.settings.publicUrl, { ...service, isEnabled: closedBy(access, service.source) === null }),
    )
    const { items, total } = selectInMemory(
      services,
      list,
      LIST.filter,
      (service, property) => service[property as keyof typeof LIST.filter],
    )
    return listPage(reply, list, items, total)
  },
)

function present(publicUrl: string, service: Service) {
  return {
    id: service.id,
    isEnabled: service.isEnabled,
    logoUrl: `${publicUrl}/logos/${service.id}.svg`,
    name: service.name,
    title: service.title,
    parentId: service.parentId,
    parentName: service.parentName,
    // JSON text: locale tag → text.
    description: JSON.stringify(service.source.description.description),
    categoryId: service.categoryId,
    category: service.category,
    supportedEntities: [...service.supportedEntities],
  }
}
