/** Redirect address that the developer of an app has registered at a source: its own, or the one shared by all. */
export type CallbackKind = 'own' | 'shared'

/**
 * Address to which a source sends owners back. With an address of its own for each source, a code can be told from that
 * of another authorization server (mix-up). `connectorKey`: null for the shared one.
 * Source: https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2
 */
export function toCallbackAddress(baseUrl: string, connectorKey: string | null): string {
  const shared = `${baseUrl}/connect/callback`
  return connectorKey === null ? shared : `${shared}/${encodeURIComponent(connectorKey)}`
}
