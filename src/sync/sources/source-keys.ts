import { appKeyTextOf } from '../../connectors/contract/app-key-texts.ts'
import { type ConnectorDescription, SourceError } from '../../connectors/contract/contract.ts'
import type { InstanceKeys, Source } from '../../connectors/sources.ts'
import type { Authorization } from '../../store/connections/authorizations.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'
import { openJson } from '../../store/keys/sealed-json.ts'
import { findAnyKeys, findCurrentKeys, findKeys, listKeysAt, type SourceKeys } from '../../store/sources/source-keys.ts'
import type { Catalogue, Hide, Store, Vault } from '../context/groups.ts'
import { findTenantSource, toSharedSource } from './tenant-sources.ts'

/** Source for a new connection of an instance: with the instance's own keys, if any. */
export async function sourceForNewConnection(db: Db, vault: Vault, source: Source, instanceId: string): Promise<Source> {
  const keys = source.description.appKeys.length === 0 ? null : await findCurrentKeys(db, instanceId, source.description.key)
  return keys ? source.withKeys(openKeys(vault, source.description, keys)) : source
}

/**
 * Source for one connection: with the keys it was made with, and its calls counted for the connection's books. Throws
 * `SourceError('reconnect')` when these keys have been deleted.
 */
export async function sourceOfConnection(
  deps: Store & Vault & Catalogue,
  source: Source,
  connection: Pick<Connection, 'instanceId' | 'reference' | 'entityId' | 'sourceKeysId'>,
): Promise<Source> {
  return bindToConnection(await sourceOfAuthorization(deps, source, connection), connection)
}

/**
 * Binds the calls of a source to the books of a connection. Behind an aggregator each login counts separately, so the
 * source's own handle takes precedence over the entity.
 */
export function bindToConnection(source: Source, connection: Pick<Connection, 'reference' | 'entityId'>): Source {
  return source.forEntity(connection.reference ?? connection.entityId)
}

/** Source with the keys that an authorization was started with; null for the deployment's. */
export async function sourceOfAuthorization(
  deps: Store & Vault & Catalogue,
  source: Source,
  begun: Pick<Authorization, 'instanceId' | 'sourceKeysId'>,
): Promise<Source> {
  // Never the keys that `source` already has: those of the deployment are in its own entry.
  const plain = (await findTenantSource(deps.database, deps.sources, begun.instanceId, source.description.key)) ?? source
  if (begun.sourceKeysId === null) return plain
  const keys = await findKeys(deps.database, begun.instanceId, begun.sourceKeysId)
  if (!keys) throw new SourceError('reconnect', `the keys of the app at ${source.description.name} have been deleted`)
  return plain.withKeys(openKeys(deps, plain.description, keys))
}

/**
 * Source with each set of keys that an instance has, because webhooks of an earlier app still arrive; for a test
 * instance also its simulator.
 */
export async function sourcesOfInstance(deps: Store & Vault & Catalogue, connectorKey: string, instanceId: string): Promise<Source[]> {
  const source = await findTenantSource(deps.database, deps.sources, instanceId, connectorKey)
  if (!source) return []
  const keyed = (await listKeysAt(deps.database, instanceId, connectorKey)).map((keys) =>
    source.withKeys(openKeys(deps, source.description, keys)),
  )
  return hasOwnHook(source) ? [...keyed, source] : keyed
}

/** Instance whose webhooks arrive at their own address: because of its keys, or of its simulator. */
export function hookOwnerOf(source: Source, instanceId: string): string | undefined {
  return source.keysOf?.instanceId ?? (hasOwnHook(source) ? instanceId : undefined)
}

/** Simulator of one test instance. */
function hasOwnHook({ environment, isByTenant, app }: Source): boolean {
  return isByTenant && environment === 'sandbox' && app !== null
}

/**
 * For data common to all instances, such as a bank directory: with the deployment's keys, otherwise those of any
 * instance.
 */
export async function sourceOfDeployment(deps: Store & Vault & Catalogue, source: Source): Promise<Source> {
  if (source.isEnabled && source.keysOf === null) return toSharedSource(source)
  const plain = toSharedSource(deps.sources.get(source.description.key) ?? source)
  if (plain.isEnabled) return plain
  const keys = await findAnyKeys(deps.database, plain.description.key)
  return keys ? plain.withKeys(openKeys(deps, plain.description, keys)) : plain
}

/** Source as configured for an instance, with the instance's own keys, if any. */
export async function sourceOfInstance(deps: Store & Vault & Catalogue, source: Source, instanceId: string): Promise<Source> {
  const own = await findTenantSource(deps.database, deps.sources, instanceId, source.description.key)
  return await sourceForNewConnection(deps.database, deps, own ?? source, instanceId)
}

/** Opens the keys and redacts them in logs from now on. */
export function openKeys(vault: Vault, description: ConnectorDescription, keys: SourceKeys): InstanceKeys {
  const values = openJson<Record<string, string>>(vault.sealer, keysContext(keys), keys.sealed)
  const { instanceId, id, generation, app, callback } = keys
  hideKeys(vault.hide, description, values)
  return { owner: { instanceId, id, generation }, app, callback, values }
}

/** Seal context of a set of keys. */
export function keysContext({ instanceId, id, generation }: Pick<SourceKeys, 'instanceId' | 'id' | 'generation'>) {
  return { instanceId, table: 'source_keys', rowId: id, column: 'sealed', generation }
}

/** Redacts secret values in logs from now on. */
export function hideKeys(hide: Hide, description: ConnectorDescription, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) if (!appKeyTextOf(description, name).isPublic) hide(value)
}
