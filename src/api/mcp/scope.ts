import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { recordChange } from '../../audit/record.ts'
import { parseJson } from '../../model/values/json.ts'
import { findMcpAccess } from '../../store/access/mcp-access.ts'
import { type Database, inTransaction } from '../../store/db/database.ts'
import type { Access } from '../access/access.ts'
import { DATA_READ } from '../access/caller.ts'
import type { ApiSettings } from '../context/settings.ts'
import { badRequest, forbidden } from '../errors/errors.ts'
import { authenticationHook, enterCallerScope } from '../http/authentication.ts'
import { acceptJsonOnly } from '../http/json-body.ts'
import type { CallerLimits } from '../http/request-limits.ts'
import { type ToolAnswer, toAnswer, toFailure } from './answer.ts'
import { TOOLS, type ToolRead } from './tools.ts'

const API = '/admin/api/v1'
/** Methods of the protocol that need no stream: the server sends nothing unrequested. */
const STREAMS = /^(?:subscriptions|resources)\//

interface McpDeps {
  database: Database
  settings: Pick<ApiSettings, 'requestLimits' | 'publicUrl'>
  now(): Date
}

/**
 * Registers the MCP server, streamable HTTP without sessions, on `scope`. Each tool call is one read of the API with
 * the caller's key, so that the key's scopes, the limits and the fair shares of the API apply.
 * Source: https://modelcontextprotocol.io/specification
 */
export async function addMcpRoute(
  scope: FastifyInstance,
  deps: McpDeps,
  { access, limits }: { access: Access; limits: CallerLimits },
): Promise<void> {
  const { origin } = new URL(deps.settings.publicUrl)
  acceptJsonOnly(scope)
  // Against DNS rebinding: browsers name the page that sends the request.
  scope.addHook('onRequest', (request, _reply, done) => {
    const given = request.headers.origin
    done(given === undefined || given === origin ? undefined : forbidden('Pages of this origin may not call the MCP server.'))
  })
  scope.addHook('onRequest', authenticationHook(deps, access.guard, limits))
  scope.addHook('preHandler', enterCallerScope)
  scope.route({
    method: 'POST',
    url: '/mcp',
    config: { ...DATA_READ, audit: 'mcp.called', isPauseProof: true },
    schema: { tags: ['Data'], summary: 'Model Context Protocol', hide: true, body: Type.Object({ method: Type.Optional(Type.String()) }) },
    handler: async (request, reply) => await handleMessage(scope, deps, request, reply),
  })
}

async function handleMessage(scope: FastifyInstance, deps: McpDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { caller } = request
  if (caller.keyId === null) throw forbidden('The MCP server takes API keys only.')
  if (!(await findMcpAccess(deps.database, caller.instanceId)).isEnabled)
    throw forbidden('The MCP server is off for this instance; an administrator can turn it on.')
  const { method } = request.body as { method?: string }
  if (method !== undefined && STREAMS.test(method)) throw badRequest('This MCP server has tools only, and sends nothing by itself.')
  // Loaded by the first request: a deployment without assistants does not pay its 20 MB.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([import('@modelcontextprotocol/server'), import('./mcp-server.ts')])
  const call = async (name: string, input: unknown) => await callTool(scope, deps, request, name, input)
  const handler = createMcpHandler(() => createMcpServer(call), { keepAliveMs: 0 })
  const answer = await handler.fetch(toWebRequest(request, deps.settings.publicUrl), { parsedBody: request.body })
  const text = await answer.text()
  for (const name of ['content-type', 'mcp-protocol-version'])
    if (answer.headers.has(name)) reply.header(name, answer.headers.get(name) ?? '')
  return reply.code(answer.status).send(text)
}

/** Request with the headers that the protocol reads, without the key. */
function toWebRequest({ headers }: FastifyRequest, publicUrl: string): Request {
  const kept = Object.entries(headers).filter(([name]) => /^(?:accept|content-type|mcp-.*)$/.test(name))
  return new Request(`${publicUrl}/mcp`, { method: 'POST', headers: kept.map(([name, value]) => [name, String(value)]) })
}

async function callTool(scope: FastifyInstance, deps: McpDeps, request: FastifyRequest, name: string, input: unknown): Promise<ToolAnswer> {
  const tool = TOOLS.find((each) => each.name === name)
  const read = tool?.read(input) ?? null
  const { status, answer } = read
    ? await answerRead(scope, deps, request, read)
    : refuse(tool ? 400 : 404, tool ? `The arguments of ${name} are not those of its schema.` : `There is no tool ${name}.`)
  const { instanceId } = request.caller
  const subject = read === null || read.companyId === null ? null : `company/${read.companyId}`
  // A name that is not ours may be anything, also what was read before.
  const details = { tool: tool?.name ?? 'unknown', status }
  await inTransaction(deps.database, (db) => recordChange(db, { instanceId, action: 'mcp.called', subject, details }))
  return answer
}

interface Called {
  status: number
  answer: ToolAnswer
}

function refuse(status: number, detail: string): Called {
  return { status, answer: toFailure(status, detail) }
}

async function answerRead(scope: FastifyInstance, { settings }: McpDeps, request: FastifyRequest, read: ToolRead): Promise<Called> {
  const url = `${API}${read.path}?${new URLSearchParams(read.query).toString()}`
  const headers = { authorization: request.headers.authorization ?? '' }
  const answer = await scope.inject({ method: 'GET', url, headers, remoteAddress: request.ip })
  const { statusCode: status } = answer
  const body = parseJson(answer.body)
  const link = String(answer.headers.link ?? '')
  if (status === 200)
    return { status, answer: toAnswer(body, read, { apiUrl: `${settings.publicUrl}${API}`, hasMore: /rel="?next"?/.test(link) }) }
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? String(body.detail) : 'The read failed.'
  const retryAfter = answer.headers['retry-after']
  return refuse(status, retryAfter === undefined ? detail : `${detail} Try again in ${String(retryAfter)} s.`)
}
