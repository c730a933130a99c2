import { type ConnectorDescription, type Session, SourceError } from '../../connectors/contract/contract.ts'
import { findConnection } from '../../store/connections/connections.ts'
import { deriveTokens } from '../../store/keys/token-hash.ts'
import type { Catalogue, Tokens } from '../context/groups.ts'
import type { CredentialsContext } from '../credentials/context.ts'
import { openCredentials } from '../credentials/credentials-open.ts'
import { findService } from '../sources/catalogue.ts'
import { hookOwnerOf, sourceOfConnection } from '../sources/source-keys.ts'

/**
 * Webhook URL of a source; with a secret part for a source that does not sign. An instance's own app has its own URL,
 * since its webhooks are verified with its own keys.
 */
export function webhookUrlOf(tokens: Tokens, baseUrl: string, description: ConnectorDescription, instanceId?: string): string {
  const address = `${baseUrl}/hooks/${description.key}${instanceId === undefined ? '' : `/instances/${instanceId}`}`
  return description.unsignedWebhooks ? `${address}/${hookSecretsOf(tokens, description.key, instanceId)[0]}` : address
}

/**
 * Secret part of the URL: 256 bits derived from the deployment's key, so that nothing is stored. Redacted in logs. One
 * per hash key, newest first: an address that was entered at the source before a rotation stays valid.
 */
export function hookSecretsOf(tokens: Tokens, connectorKey: string, instanceId?: string): string[] {
  const scope = instanceId === undefined ? connectorKey : `${connectorKey}/${instanceId}`
  const secrets = deriveTokens(tokens.hashToken, `hook/${scope}`)
  for (const secret of secrets) tokens.hide(secret)
  return secrets
}

/**
 * Subscribes a connection to the source's webhooks, or renews the subscription, where each connection needs its own.
 * Failures are only logged: the connection is then read by the schedule alone.
 */
export async function keepSubscribed(
  deps: CredentialsContext & Catalogue,
  key: { instanceId: string; connectionId: string },
): Promise<void> {
  const connection = await findConnection(deps.database, key.instanceId, key.connectionId)
  const service = connection && (await findService(deps.database, deps.sources, connection.instanceId, connection.serviceId))
  const source = service && (await sourceOfConnection(deps, service.source, connection))
  const connector = await source?.load()
  if (!connection?.entityId || !source || !connector?.subscribe) return
  // Providers send to https only; a simulator sends anywhere.
  if (source.environment === 'production' && !deps.baseUrl.startsWith('https:')) return
  try {
    const { credentials } = await openCredentials(deps, source, connector, connection)
    const session: Session = { kit: source.kit, credentials, entityId: connection.entityId, nextFile: async () => null }
    await connector.subscribe(session, webhookUrlOf(deps, deps.baseUrl, source.description, hookOwnerOf(source, connection.instanceId)))
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    deps.log.warn({ err: error, connectionId: connection.id }, 'the source would not subscribe us')
  }
}
