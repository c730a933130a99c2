import { createPublicKey } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type JWTPayload, jwtVerify } from 'jose'
import type { Context } from '../context.ts'
import { sandboxSigningKey } from '../data/sandbox-client.ts'
import type { Subject } from '../state.ts'

/**
 * Subject whose data the call may read; null for a token that is unknown, expired, revoked, or bound to another
 * certificate.
 */
export async function readBearer(context: Context, request: IncomingMessage): Promise<{ id: string; subject: Subject } | null> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return null
  const id = context.style.bearer === 'opaque' ? await readKept(context, request, token) : ((await readSigned(context, token))?.sub ?? null)
  const subject = id === null ? null : context.subject(id)
  return id === null || subject === null || subject.isRevoked ? null : { id, subject }
}

/** Claims of a token issued by the bank; null if the signature or the time is invalid. */
export async function readSigned(context: Context, token: string): Promise<JWTPayload | null> {
  const { kty, crv, x, y } = sandboxSigningKey(`the bank ${context.style.key}`)
  try {
    const { payload } = await jwtVerify(token, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' }), {
      issuer: context.baseUrl(),
      currentDate: new Date(0),
    })
    // Access tokens are issued by the real clock and record the offset of the simulator's clock at that time.
    const movedMs = typeof payload.moved_ms === 'number' ? payload.moved_ms : 0
    return (payload.exp ?? 0) * 1000 + movedMs > context.nowMs() ? payload : null
  } catch {
    return null
  }
}

async function readKept(context: Context, request: IncomingMessage, token: string): Promise<string | null> {
  const found = await context.provider().AccessToken.find(token)
  if (!found || found.isExpired) return null
  const bound = found['x5t#S256']
  if (bound !== undefined && bound !== thumbprintOf(request)) return null
  return found.accountId ?? null
}

function thumbprintOf({ socket }: IncomingMessage): string | null {
  const certificate =
    'getPeerX509Certificate' in socket && typeof socket.getPeerX509Certificate === 'function' ? socket.getPeerX509Certificate() : null
  if (!certificate) return null
  return Buffer.from(String(certificate.fingerprint256).replaceAll(':', ''), 'hex').toString('base64url')
}
