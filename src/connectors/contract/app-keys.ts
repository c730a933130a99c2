import type { ConnectorDescription } from './contract.ts'

type Keyed = Pick<ConnectorDescription, 'appKeys' | 'optionalAppKeys' | 'appName'>

/**
 * Name of the key that identifies the app at the source, as its rate limits count it; null for a source without keys.
 */
export function toAppName({ appKeys, appName }: Keyed): string | null {
  return appName ?? (appKeys.includes('clientId') ? 'clientId' : (appKeys[0] ?? null))
}

/** All keys of a source, the required ones first. */
export function listAppKeyNames({ appKeys, optionalAppKeys = [] }: Keyed): { name: string; isRequired: boolean }[] {
  const named = (names: readonly string[], isRequired: boolean) => names.map((name) => ({ name, isRequired }))
  return [...named(appKeys, true), ...named(optionalAppKeys, false)]
}
