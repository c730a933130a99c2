import type { FastifyReply } from 'fastify'
import type { Access } from '../../access/access.ts'
import type { IssuedTokens } from '../../access/sessions.ts'
import { writeSessionCookie } from '../../http/session-cookie.ts'

/** Page of the portal shown after a login. */
export const DASHBOARD = '/portal/'

/** Returns the refresh token in the response or as a cookie. */
export function handOut(access: Access, reply: FastifyReply, tokens: IssuedTokens, destination: 'answer' | 'cookie' = 'answer') {
  const isSecure = access.settings.issuer.startsWith('https:')
  if (destination === 'cookie') writeSessionCookie(reply, tokens.refreshToken, isSecure)
  return toAnswer(destination === 'cookie' ? { ...tokens, refreshToken: '' } : tokens)
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
