import type { Secret } from '../../model/values/secret.ts'
import type { ReadSetting } from './limits.ts'
import { readSecret } from './secret-source.ts'
import { toDatabaseUrl } from './setting-values.ts'

/** Addresses of PostgreSQL. */
export interface DatabaseSettings {
  /** Null for the embedded PostgreSQL. */
  databaseUrl: Secret | null
  /** Address for sessions, if `databaseUrl` is that of a pooler in transaction mode; otherwise null. */
  databaseDirectUrl: Secret | null
}

export function readDatabase(read: ReadSetting): DatabaseSettings {
  return {
    databaseUrl: readSecret(read, 'DATABASE_URL', toDatabaseUrl),
    databaseDirectUrl: readSecret(read, 'DATABASE_DIRECT_URL', toDatabaseUrl),
  }
}

/**
 * Faults of addresses that are useless without another one. `isGiven`: whether a setting is present, in any of its
 * forms.
 */
export function findDatabaseConflicts(isGiven: (name: string) => boolean): string[] {
  return ['DATABASE_DIRECT_URL']
    .filter((name) => isGiven(name) && !isGiven('DATABASE_URL'))
    .map((name) => `${name}: needs DATABASE_URL, beside which it is used`)
}
