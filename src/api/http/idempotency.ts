import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { claimKey, type KeyClaim, type KeyedRequest, releaseKey, renewKey, saveAnswer } from '../../store/access/idempotency-keys.ts'
import type { Database } from '../../store/db/database.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import type { SealContext, Sealer } from '../../store/keys/sealing.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import { ApiError, badField } from '../errors/errors.ts'

const HEADER = 'idempotency-key'
/** Well below the lease of a key. */
const RENEWAL_MS = 5_000
/** Response headers that belong to one request, or to its session: each response has its own. */
const OF_ONE_REQUEST = /^(x-request-id|set-cookie|date|connection|content-length|transfer-encoding|(x-)?ratelimit.*)$/
/** Statuses after which a repetition is executed again: a temporary refusal, or an unknown outcome. */
const isRepeatable = (status: number): boolean => status === 429 || status >= 500

/** Whose keys: a user or an API key, or an operator, whose rows belong to the nil instance. */
export interface KeyOwner {
  instanceId: string
  id: string | null
}

/** Null for a request that no known caller makes. */
export type OwnerOf = (request: FastifyRequest) => KeyOwner | null

interface IdempotencyDeps {
  database: Database
  sealer: Sealer
  hashToken: TokenHash
  ownerOf: OwnerOf
}

/** Claim of the request under way. */
interface Held {
  claim: KeyClaim
  /** Response headers before the work. */
  headersBefore: ReadonlySet<string>
  renewal: NodeJS.Timeout
}

const held = new WeakMap<FastifyRequest, Held>()

/**
 * Id for what a POST creates: the same one each time that a request with an idempotency key is executed, so that a
 * request that was cut off after its commit finds what it has made.
 */
export function newIdFor(request: FastifyRequest): string {
  return held.get(request)?.claim.id ?? randomUUID()
}

/**
 * `Idempotency-Key` on every POST of a caller: for 24 hours the same request with the same key gets the same status and
 * bytes, and is executed once, also when sent concurrently. Keys are per owner. The key of a request that failed inside,
 * or whose process died, is executed again.
 * Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07
 */
export function addIdempotency(scope: FastifyInstance, { database, sealer, hashToken, ownerOf }: IdempotencyDeps): void {
  scope.addHook('preHandler', async (request, reply) => {
    const key = request.headers[HEADER]
    const owner = ownerOf(request)
    if (key === undefined || request.method !== 'POST' || owner === null) return
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
      throw badField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters')
    const { instanceId } = owner
    const found = await claimKey(database, {
      instanceId,
      id: randomUUID(),
      keyHashes: hashToken.all(['idempotency key', owner.id, key].join('\0')),
      requestHashes: hashToken.all(toRequestText(request)),
    })
    if ('request' in found) return repeat(sealer, instanceId, reply, found.request)
    const renewal = setInterval(() => void renewKey(database, found.claim).catch(() => undefined), RENEWAL_MS).unref()
    held.set(request, { claim: found.claim, headersBefore: new Set(Object.keys(reply.getHeaders())), renewal })
  })
  scope.addHook('onSend', async (request, reply, payload) => {
    const work = held.get(request)
    if (work === undefined) return payload
    held.delete(request)
    clearInterval(work.renewal)
    await withinInstance(work.claim.instanceId, () => settle(database, sealer, work, reply, payload))
    return payload
  })
}

/** The user or API key that calls. */
export function callerOf({ verifiedCaller }: FastifyRequest): KeyOwner | null {
  return verifiedCaller && { instanceId: verifiedCaller.instanceId, id: verifiedCaller.userId ?? verifiedCaller.keyId }
}

async function settle(db: Database, sealer: Sealer, { claim, headersBefore }: Held, reply: FastifyReply, payload: unknown): Promise<void> {
  if (isRepeatable(reply.statusCode)) return await releaseKey(db, claim)
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined || headersBefore.has(name) || OF_ONE_REQUEST.test(name) ? [] : [[name, String(value)]],
    ),
  )
  const body = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '')
  const sealed = sealer.seal(sealContextOf(claim), body)
  await saveAnswer(db, claim, { status: reply.statusCode, headers, sealed })
}

function repeat(sealer: Sealer, instanceId: string, reply: FastifyReply, { id, isSame, answer }: KeyedRequest): FastifyReply {
  if (!isSame) throw new ApiError(422, 'The Idempotency-Key was used for another request.')
  if (!answer) throw underWay()
  const content = Buffer.from(sealer.open(sealContextOf({ instanceId, id }), answer.sealed))
  reply.code(answer.status).headers({ ...answer.headers, 'idempotent-replayed': 'true' })
  return reply.send(content.length === 0 ? undefined : content)
}

function underWay(): ApiError {
  return new ApiError(409, 'The first request with this Idempotency-Key is still under way.', { headers: { 'retry-after': '1' } })
}

function sealContextOf({ instanceId, id }: Pick<KeyClaim, 'instanceId' | 'id'>): SealContext {
  return { instanceId, table: 'idempotency_keys', rowId: id, column: 'sealed' }
}

function toRequestText({ method, url, body }: FastifyRequest): string {
  return ['idempotent request', method, url, JSON.stringify(body ?? null)].join('\0')
}
