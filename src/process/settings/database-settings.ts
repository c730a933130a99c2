import type { Secret } from '../../model/values/secret.ts'
import type { ReadSetting } from './limits.ts'
import { readSecret } from './secret-source.ts'
import { toDatabaseUrl, toWholeNumber } from './setting-values.ts'

/** Addresses of PostgreSQL. */
export interface DatabaseSettings {
  /** Null for the embedded PostgreSQL. */
  databaseUrl: Secret | null
  /** Address for sessions, if `databaseUrl` is that of a pooler in transaction mode; otherwise null. */
  databaseDirectUrl: Secret | null
  /** Address of read replicas, one or several; null: there are none. */
  databaseReadUrl: Secret | null
  /** Maximum staleness of an answer by a replica. */
  databaseReadStalenessSeconds: number
}

/** More than a second, the probe interval of replicas; less than a person would take for a fault. */
const STALENESS_SECONDS = { least: 2, most: 60, usual: 5 }

export function readDatabase(read: ReadSetting): DatabaseSettings {
  return {
    databaseUrl: readSecret(read, 'DATABASE_URL', toDatabaseUrl),
    databaseDirectUrl: readSecret(read, 'DATABASE_DIRECT_URL', toDatabaseUrl),
    databaseReadUrl: readSecret(read, 'DATABASE_READ_URL', toDatabaseUrl),
    databaseReadStalenessSeconds: read(
      'DATABASE_READ_STALENESS_SECONDS',
      (text) => toWholeNumber(text, STALENESS_SECONDS.least, STALENESS_SECONDS.most),
      STALENESS_SECONDS.usual,
    ),
  }
}

/**
 * Faults of addresses that are useless without another one. `isGiven`: whether a setting is present, in any of its
 * forms.
 */
export function findDatabaseConflicts(isGiven: (name: string) => boolean): string[] {
  return ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL']
    .filter((name) => isGiven(name) && !isGiven('DATABASE_URL'))
    .map((name) => `${name}: needs DATABASE_URL, beside which it is used`)
}
