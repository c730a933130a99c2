import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { Semaphore } from '../../model/semaphore.ts'
import { withResourceLock } from '../../store/access/resource-locks.ts'
import type { Database } from '../../store/db/database.ts'
import { ApiError, unavailable } from '../errors/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a GET: properties of its body that change by themselves, and so are not part of its ETag. */
    observed?: readonly string[]
    /** For a PUT, PATCH or DELETE whose address has no GET: the address below it whose GET returns the ETag. */
    etagBelow?: '/status'
  }
}

/**
 * Resource of a change: the address whose GET returns the ETag, as a pattern and in segments of the request's path.
 */
interface Resource {
  etagUrl: string
  segments: number
  below: string
}

/** Who calls the routes of a scope. */
interface Callers {
  /** Instance in which the resource of a request is locked. */
  instanceOf(request: FastifyRequest): string
  /** Whether a route is called without a session. */
  isPublic(config: FastifyContextConfig): boolean
}

/** Changes of one process that hold a database connection for their lock while they use another for their work. */
const LOCKED_AT_ONCE = 4
const LOCKED_OF_INSTANCE = 2
/** Longest value of `If-Match`, in characters. */
export const IF_MATCH_LENGTH = 1_000
const CHANGES = ['PUT', 'PATCH', 'DELETE'] as const
/** Headers of a change that mean nothing to the read of its resource. */
const OF_CHANGES = /^(if-|content-|transfer-|idempotency-key$|expect$|connection$)/

const comparing = new AsyncLocalStorage<true>()
const comparisons = new WeakSet<FastifyRequest>()

/** Whether a request is the service's own read of a resource, for the sake of a change: nobody asked for it. */
export function isComparison(request: FastifyRequest): boolean {
  return comparisons.has(request)
}

/**
 * ETag on the GET of everything that can be changed, and `If-Match` on its PUT, PATCH and DELETE and on each POST to it or
 * below it: 412 unless the resource is as the caller knows it. Comparison and change are atomic under a lock in the
 * database, which changes without `If-Match` share. To be called before the routes are added.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export function addPreconditions(scope: FastifyInstance, database: Database, { instanceOf, isPublic }: Callers): void {
  const resources = new Resources()
  const permits = new Semaphore(LOCKED_AT_ONCE)
  const shares = new InstanceSemaphores()

  scope.addHook('onRequest', (request, _reply, done) => {
    if (comparing.getStore()) comparisons.add(request)
    const isLong = request.method !== 'GET' && (request.headers['if-match'] ?? '').length > IF_MATCH_LENGTH
    done(isLong ? new ApiError(400, `If-Match has more than ${IF_MATCH_LENGTH} characters.`) : undefined)
  })

  scope.addHook('onRoute', (route: RouteOptions) => {
    resources.add(route)
    const takesLock = [...CHANGES, 'POST'].some((method) => [route.method].flat().includes(method))
    if (!takesLock || isPublic(route.config ?? {})) return
    const { handler } = route
    route.handler = async function (request, reply) {
      const resource = resources.find(route.url)
      const ifMatch = request.headers['if-match']
      if (resource === null) {
        if (ifMatch !== undefined) throw preconditionFailed('It has no ETag, so that If-Match cannot be met.')
        return handler.call(this, request, reply)
      }
      const path = pathOf(request, resource)
      const lock = { instanceId: instanceOf(request), path: path.toLowerCase(), isExclusive: ifMatch !== undefined }
      const change = async () => {
        if (ifMatch !== undefined) await compare(request, path, ifMatch)
        return await handler.call(this, request, reply)
      }
      return await shares.run(lock.instanceId, () => permits.run(() => withResourceLock(database, lock, change)))
    }
  })

  scope.addHook('onSend', (request, reply, payload, done) => {
    const { url = '', config } = request.routeOptions
    const isOpen = request.method === 'GET' && reply.statusCode === 200 && !reply.hasHeader('etag')
    if (isOpen && (typeof payload === 'string' || Buffer.isBuffer(payload)) && resources.find(url)?.etagUrl === url)
      reply.header('etag', toEtag(payload, config.observed ?? []))
    done(null, payload)
  })
}

/** Semaphore per instance: the slow changes of one leave permits to the others. */
class InstanceSemaphores {
  readonly #shares = new Map<string, { permits: Semaphore; users: number }>()

  async run<T>(instanceId: string, work: () => Promise<T>): Promise<T> {
    const share = this.#shares.get(instanceId) ?? { permits: new Semaphore(LOCKED_OF_INSTANCE), users: 0 }
    this.#shares.set(instanceId, share)
    share.users += 1
    try {
      return await share.permits.run(work)
    } finally {
      share.users -= 1
      if (share.users === 0) this.#shares.delete(instanceId)
    }
  }
}

/** Resources by the addresses of the routes, collected while routes are added. */
class Resources {
  readonly #methods = new Map<string, Set<string>>()
  readonly #below = new Map<string, string>()
  readonly #found = new Map<string, Resource | null>()

  add(route: RouteOptions): void {
    const methods = [route.method].flat().map((method) => method.toUpperCase())
    this.#methods.set(route.url, new Set([...(this.#methods.get(route.url) ?? []), ...methods]))
    if (route.config?.etagBelow) this.#below.set(route.url, route.config.etagBelow)
  }

  /** The resource at this address or the nearest above it that can be changed and read. */
  find(url: string): Resource | null {
    const known = this.#found.get(url)
    if (known !== undefined) return known
    const found = this.#search(url)
    this.#found.set(url, found)
    return found
  }

  #search(url: string): Resource | null {
    for (let at = url; at.length > 1; at = at.slice(0, at.lastIndexOf('/'))) {
      const below = this.#below.get(at) ?? ''
      const isChanged = CHANGES.some((method) => this.#methods.get(at)?.has(method))
      if (isChanged && this.#methods.get(at + below)?.has('GET')) return { etagUrl: at + below, segments: at.split('/').length, below }
    }
    return null
  }
}

/** Path of the GET with the ETag, for a request to the resource or below it. */
function pathOf({ url }: FastifyRequest, { segments, below }: Resource): string {
  const [path = ''] = url.split('?', 1)
  return path.split('/').slice(0, segments).join('/') + below
}

/** Throws a 412 unless the resource has one of the tags. One that is not there is left to the change, which says so. */
async function compare(request: FastifyRequest, path: string, ifMatch: string): Promise<void> {
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OF_CHANGES.test(name)))
  const remoteAddress = request.raw.socket.remoteAddress ?? '127.0.0.1'
  // NOTE the request begins when its answer is awaited, which must be within.
  const found = await comparing.run(true, async () => await request.server.inject({ method: 'GET', url: path, headers, remoteAddress }))
  if (found.statusCode === 404) return
  if (found.statusCode === 503) throw unavailable()
  if (found.statusCode === 403) throw new ApiError(403, 'If-Match needs the right to read the resource as well.')
  const etag = found.headers.etag
  if (found.statusCode !== 200 || typeof etag !== 'string') throw new Error(`a resource could not be read: ${found.statusCode}`)
  // Weak tags never match.
  const wanted = ifMatch.split(',').map((tag) => tag.trim())
  if (!wanted.includes('*') && !wanted.includes(etag)) throw preconditionFailed('It has changed since you read it: read it again.')
}

function preconditionFailed(message: string): ApiError {
  return new ApiError(412, message)
}

function toEtag(payload: string | Buffer, observed: readonly string[]): string {
  const content =
    observed.length === 0
      ? payload
      : JSON.stringify(JSON.parse(payload.toString()), (key, value) => (observed.includes(key) ? undefined : value))
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`
}
