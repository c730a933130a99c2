import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { claimKey, type KeyedRequest, saveAnswer } from '../../store/access/idempotency-keys.ts'
import type { Db } from '../../store/db/database.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import type { SealContext, Sealer } from '../../store/keys/sealing.ts'
import type { TokenHash } from '../../store/keys/token-hash.ts'
import { ApiError, badField, conflict } from '../errors/errors.ts'

const HEADER = 'idempotency-key'
/** Longer than any request may take: one without a response by then never gets one. */
const MAX_REQUEST_SECONDS = 60
/** Stored response headers. */
const KEPT_HEADERS = ['content-type', 'location', 'etag'] as const

/** Idempotency key claimed by a request. */
interface Claim {
  instanceId: string
  id: string
}

const claims = new WeakMap<FastifyRequest, Claim>()

/**
 * `Idempotency-Key` on every POST of a caller: for 24 hours the same request with the same key gets the same status and
 * bytes, and is executed once, also when sent concurrently. Keys are per user.
 * Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07
 */
export function addIdempotency(scope: FastifyInstance, db: Db, sealer: Sealer, hashToken: TokenHash): void {
  scope.addHook('preHandler', async (request, reply) => {
    const key = request.headers[HEADER]
    if (key === undefined || request.method !== 'POST' || !request.verifiedCaller) return
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
      throw badField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters')
    const { instanceId, userId } = request.verifiedCaller
    const claim = { instanceId, id: randomUUID() }
    const earlier = await claimKey(db, {
      ...claim,
      keyHashes: hashToken.all(['idempotency key', userId, key].join('\0')),
      requestHash: hashToken(toRequestText(request)),
    })
    if (earlier === null) claims.set(request, claim)
    else return repeat(sealer, hashToken, request, reply, earlier)
  })
  scope.addHook('onSend', async (request, reply, payload) => {
    const claim = claims.get(request)
    if (claim === undefined) return payload
    claims.delete(request)
    await withinInstance(claim.instanceId, () => settle(db, sealer, claim, reply, payload))
    return payload
  })
}

/**
 * NOTE a response of 500 or more is not stored: the outcome of the request is unknown, and a repetition is answered
 * with that.
 */
async function settle(db: Db, sealer: Sealer, claim: Claim, reply: FastifyReply, payload: unknown): Promise<void> {
  if (reply.statusCode >= 500) return
  const headers = Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
  const body = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '')
  const sealed = sealer.seal(sealContextOf(claim), body)
  await saveAnswer(db, claim.instanceId, claim.id, { status: reply.statusCode, headers, sealed })
}

function repeat(sealer: Sealer, hashToken: TokenHash, request: FastifyRequest, reply: FastifyReply, earlier: KeyedRequest): FastifyReply {
  if (!hashToken.all(toRequestText(request)).some((hash) => Buffer.compare(hash, earlier.requestHash) === 0))
    throw new ApiError(422, 'The Idempotency-Key was used for another request.')
  if (!earlier.answer) throw earlier.age < MAX_REQUEST_SECONDS ? underWay() : conflict(UNKNOWN)
  const context = sealContextOf({ instanceId: request.caller.instanceId, id: earlier.id })
  const content = Buffer.from(sealer.open(context, earlier.answer.sealed))
  reply.code(earlier.answer.status).headers({ ...earlier.answer.headers, 'idempotent-replayed': 'true' })
  return reply.send(content.length === 0 ? undefined : content)
}

const UNKNOWN =
  'The first request with this Idempotency-Key failed inside, and whether it was done is not known. Look, and ask with another key where it was not.'

function underWay(): ApiError {
  return new ApiError(409, 'The first request with this Idempotency-Key is still under way.', { headers: { 'retry-after': '1' } })
}

function sealContextOf({ instanceId, id }: Claim): SealContext {
  return { instanceId, table: 'idempotency_keys', rowId: id, column: 'sealed' }
}

function toRequestText({ method, url, body }: FastifyRequest): string {
  return ['idempotent request', method, url, JSON.stringify(body ?? null)].join('\0')
}
