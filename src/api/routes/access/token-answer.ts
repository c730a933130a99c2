import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../../access/access.ts'
import { endReplacedSession, hashesOfRefreshToken, type IssuedTokens } from '../../access/sessions.ts'
import { sessionCookie } from '../../http/session-cookie.ts'

/** Page of the portal shown after a login. */
export const DASHBOARD = '/portal/'

/** Returns the refresh token in the response or as a cookie. */
export function handOut(access: Access, reply: FastifyReply, tokens: IssuedTokens, destination: 'answer' | 'cookie' = 'answer') {
  const isSecure = access.settings.issuer.startsWith('https:')
  if (destination === 'cookie') sessionCookie.write(reply, tokens.refreshToken, isSecure)
  return toAnswer(destination === 'cookie' ? { ...tokens, refreshToken: '' } : tokens)
}

/** The same after a login: in a browser the new session takes the place of the one that its cookie names. */
export async function handOutNew(
  access: Access,
  request: FastifyRequest,
  reply: FastifyReply,
  tokens: IssuedTokens,
  destination?: 'answer' | 'cookie',
) {
  const present = destination === 'cookie' ? sessionCookie.read(request, access.settings.issuer.startsWith('https:')) : null
  if (present !== null) await endReplacedSession(access, hashesOfRefreshToken(access, present))
  return handOut(access, reply, tokens, destination)
}

/** The refresh token in the response. */
export function toAnswer(tokens: IssuedTokens) {
  return {
    access_token: tokens.accessToken,
    username: tokens.userName,
    redirect_url: DASHBOARD,
    refreshToken: tokens.refreshToken,
    twoStepVerify: false,
  }
}
