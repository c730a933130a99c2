import { createPublicKey } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type JWTPayload, jwtVerify } from 'jose'
import { sandboxSigningKey } from './sandbox-client.ts'
import type { Subject } from './state.ts'
import type { World } from './world.ts'

/** Whose data a call may see; null for a token that is unknown, ended, taken back, or bound to another certificate. */
export async function readBearer(world: World, request: IncomingMessage): Promise<{ id: string; subject: Subject } | null> {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return null
  const id = world.style.bearer === 'opaque' ? await readKept(world, request, token) : ((await readSigned(world, token))?.sub ?? null)
  const subject = id === null ? null : world.subject(id)
  return id === null || subject === null || subject.isRevoked ? null : { id, subject }
}

/** Claims of a token of the bank's own; null when the signature or the time is wrong. */
export async function readSigned(world: World, token: string): Promise<JWTPayload | null> {
  const { kty, crv, x, y } = sandboxSigningKey(`the bank ${world.style.key}`)
  try {
    const { payload } = await jwtVerify(token, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' }), {
      issuer: world.baseUrl(),
      currentDate: new Date(0),
    })
    // An access token was made by the clock that cannot be moved, and says how far the other one was.
    const movedMs = typeof payload.moved_ms === 'number' ? payload.moved_ms : 0
    return (payload.exp ?? 0) * 1000 + movedMs > world.nowMs() ? payload : null
  } catch {
    return null
  }
}

async function readKept(world: World, request: IncomingMessage, token: string): Promise<string | null> {
  const found = await world.provider().AccessToken.find(token)
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
