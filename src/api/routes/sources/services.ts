import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CATEGORIES } from '../../../model/catalogue.ts'
import type { Filter } from '../../../store/db/list-selection.ts'
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
    const { database, sync, settings } = deps
    const { instanceId } = request.caller
    const list = readListQuery(request.query, LIST)
    const access = await readSourceAccess(database, instanceId)
    const services = (await listServices(database, sync.sources, instanceId, idsOf(list.filter))).map((service) => ({
      ...service,
      isEnabled: closedBy(access, service.source) === null,
    }))
    const { items, total } = selectInMemory(services, list, LIST.filter, (service, property) =>
      property === 'description' ? describe(service) : service[property as Exclude<keyof typeof LIST.filter, 'description'>],
    )
    return listPage(
      reply,
      list,
      items.map((service) => present(settings.publicUrl, service)),
      total,
    )
  },
)

/** The only ids that a filter can match; null where it does not name any. */
function idsOf(filter: Filter): string[] | null {
  const ids = filter.map((group) => group.find(({ property, operator }) => property === 'id' && operator === '=')?.value)
  return ids.length > 0 && ids.every((id) => typeof id === 'string') ? ids : null
}

/** JSON text: locale tag → text. */
function describe({ source }: Service): string {
  return JSON.stringify(source.description.description)
}

function present(publicUrl: string, service: Service) {
  return {
    id: service.id,
    isEnabled: service.isEnabled,
    logoUrl: `${publicUrl}/logos/${service.id}.svg`,
    name: service.name,
    title: service.title,
    parentId: service.parentId,
    parentName: service.parentName,
    description: describe(service),
    categoryId: service.categoryId,
    category: service.category,
    supportedEntities: [...service.supportedEntities],
  }
}
