import type { FastifyPluginAsyncTypebox, TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  ContextConfigDefault,
  FastifyContextConfig,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify'
import type { RouteAccess } from '../access/caller.ts'

type App = Parameters<FastifyPluginAsyncTypebox>[0]

type Handler<Schema extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
>

/** A route of the table: where it answers, who may call it, and its schema. `config` as in `FastifyContextConfig`. */
type RouteEntry<Schema extends FastifySchema> = RouteParts<Schema> &
  Omit<FastifyContextConfig, keyof RouteAccess | 'operator'> &
  (RouteAccess | OperatorAccess)

/** Who may call a route of operators. */
type OperatorAccess = Required<Pick<FastifyContextConfig, 'operator'>>

interface RouteParts<Schema extends FastifySchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  schema: Schema
  /** Bytes; defaults to the server's limit. */
  bodyLimit?: number
}

/** Adds one route to a server. */
type Route<Deps> = (app: App, deps: Deps) => void

/** A route with its handler, whose request and answer have the types of the schema. `Deps` is what the handler says that it needs. */
export function route<Deps, const Schema extends FastifySchema>(
  { method, url, schema, bodyLimit, ...config }: RouteEntry<Schema>,
  handle: (deps: Deps, ...args: Parameters<Handler<Schema>>) => ReturnType<Handler<Schema>>,
): Route<Deps> {
  return (app, deps) => {
    const limit = bodyLimit === undefined ? {} : { bodyLimit }
    app.route({ method, url, schema, config, ...limit, handler: (request, reply) => handle(deps, request, reply) })
  }
}

/** The routes of one subject, in the order of the reference. */
export function routes<Deps>(deps: Deps, table: Route<Deps>[]): FastifyPluginAsyncTypebox {
  return named('routes', async (app) => {
    for (const add of table) add(app, deps)
  })
}

/**
 * Gives a plugin a name. Fastify names those without one after the file that exports them, for which it compares each with
 * all loaded modules.
 * Source: https://fastify.dev/docs/latest/Reference/Plugins/#handle-the-scope
 */
function named<Plugin extends object>(name: string, plugin: Plugin): Plugin {
  return Object.assign(plugin, { [DISPLAY_NAME]: name })
}

const DISPLAY_NAME = Symbol.for('fastify.display-name')
