import type { ServerMetadata } from 'openid-client'
import type { SessionKey } from '../../../store/access/provider-sessions.ts'
import type { SealContext } from '../../../store/keys/sealing.ts'
import type { Access } from '../access.ts'

/** What a session is continued and ended with at its provider. */
export interface SessionTokens {
  refreshToken: string | null
  /** For a logout there. */
  idToken: string | null
}

export function sealTokens({ sealer }: Pick<Access, 'sealer'>, key: SessionKey, tokens: SessionTokens): Uint8Array {
  return sealer.seal(contextOf(key), Buffer.from(JSON.stringify(tokens)))
}

export function openTokens({ sealer }: Pick<Access, 'sealer'>, key: SessionKey, sealed: Uint8Array): SessionTokens {
  const tokens: SessionTokens = JSON.parse(Buffer.from(sealer.open(contextOf(key), sealed)).toString())
  return tokens
}

/**
 * Whether the provider notifies us when a session has ended.
 * Source: https://openid.net/specs/openid-connect-backchannel-1_0.html#BCSupport
 */
export function canEndSessions(server: ServerMetadata): boolean {
  return server.backchannel_logout_supported === true
}

function contextOf({ instanceId, sessionId }: SessionKey): SealContext {
  return { instanceId, table: 'provider_sessions', rowId: sessionId, column: 'tokens' }
}
