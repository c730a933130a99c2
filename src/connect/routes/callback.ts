import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { completeRedirect, UnknownState } from '../../sync/authorize/authorize.ts'
import { BooksChoice } from '../../sync/authorize/books-choice.ts'
import type { AuthorizationContext } from '../../sync/authorize/context.ts'
import type { LinkCookie } from '../http/cookies.ts'
import { Problem } from '../http/problem.ts'
import { donePath } from '../views/done.ts'
import { requirePostedVisit } from '../visit/guards.ts'
import { enterVisit, enterVisitOfCookie, pathTo, readText, type Visitor } from '../visit/visitor.ts'
import type { ConnectDeps } from './connect-deps.ts'

/** Maximum number of fields from a widget's glue, apart from ours. */
const MAX_FIELDS = 20
const MAX_NAME = 64
const MAX_VALUE = 8_000
/** Form fields for us and not for the connector. */
const OURS = ['form', 'link', 'lang']

const RETURNED = ['connection.authorized', 'authorization.failed', 'authorization.returned'] as const

/** Callback of a source: by redirect, at its own address or the shared one, or from our widget page. */
export function addCallbackRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  // A HEAD would consume the state without showing the owner anything.
  const options = { exposeHeadRoute: false, config: { audit: RETURNED } }
  app.get('/callback', options, (request, reply) => receive(deps, request, reply, null))
  app.get('/callback/:source', options, (request, reply) => receive(deps, request, reply, readText(request.params, 'source') ?? ''))

  app.post('/callback', { config: { audit: RETURNED } }, async (request, reply) => {
    const { token, agreed } = await requirePostedVisit(deps, request)
    const query = readFields(request.query, request.body)
    const onward = await complete(deps, request.visitor, [{ token, agreed }], { query, callback: null })
    if (onward === null) throw new Problem('state')
    return reply.redirect(onward, 303)
  })
}

async function receive(deps: ConnectDeps, request: FastifyRequest, reply: FastifyReply, callback: string | null): Promise<FastifyReply> {
  const { visitor } = request
  if (visitor.linkCookies.length === 0) throw new Problem('session')
  const onward = await complete(deps, visitor, visitor.linkCookies, { query: readTexts(request.query), callback })
  if (onward !== null) return reply.redirect(onward, 303)
  await enterVisit(deps, request)
  throw new Problem('state')
}

/** Path on which the owner continues; null when the state belongs to none of these links, or to another source than the address. */
async function complete(
  deps: AuthorizationContext,
  visitor: Visitor,
  entries: readonly LinkCookie[],
  { query, callback }: { query: Record<string, string>; callback: string | null },
): Promise<string | null> {
  if (!query.state || query.state.length > 200) return null
  for (const entry of entries) {
    try {
      const linked = await completeRedirect(deps, { state: query.state, linkToken: entry.token, callback, query })
      const visit = await enterVisitOfCookie(deps, visitor, entry)
      if (linked instanceof BooksChoice) return pathTo(visit, '/connect/books', { choice: linked.state })
      const ids = linked.map(({ connectionId }) => connectionId)
      return visit ? donePath(visit, ids, false) : '/connect/done'
    } catch (error) {
      if (error instanceof UnknownState) continue
      await enterVisitOfCookie(deps, visitor, entry)
      throw error
    }
  }
  return null
}

/** Posted fields merged over the query. */
function readFields(query: unknown, body: unknown): Record<string, string> {
  const entries = Object.entries({ ...readTexts(query), ...readTexts(body) }).filter(([name]) => !OURS.includes(name))
  const isBounded = entries.length <= MAX_FIELDS + 1
  if (!isBounded || entries.some(([name, value]) => name.length > MAX_NAME || value.length > MAX_VALUE)) throw new Problem('unreadable')
  return Object.fromEntries(entries)
}

function readTexts(values: unknown): Record<string, string> {
  if (typeof values !== 'object' || values === null) return {}
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
