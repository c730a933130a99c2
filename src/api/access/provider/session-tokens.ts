import type { ServerMetadata } from 'openid-client'
import type { SessionKey } from '../../../store/access/provider-sessions.ts'
import { openJson, sealJson } from '../../../store/keys/sealed-json.ts'
import type { SealContext } from '../../../store/keys/sealing.ts'
import type { Access } from '../access.ts'

/** What a session is continued and ended with at its provider. */
export interface SessionTokens {
  refreshToken: string | null
  /** For a logout there. */
  idToken: string | null
}

export function sealTokens({ sealer }: Pick<Access, 'sealer'>, key: SessionKey, tokens: SessionTokens): Uint8Array {
  return sealJson(sealer, contextOf(key), tokens)
}

export function openTokens({ sealer }: Pick<Access, 'sealer'>, key: SessionKey, sealed: Uint8Array): SessionTokens {
  return openJson(sealer, contextOf(key), sealed)
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
