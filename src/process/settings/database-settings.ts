import type { Secret } from '../../model/values/secret.ts'
import { urlsOf } from '../../store/db/connection/database-url.ts'
import { logInWith } from '../../store/db/connection/login.ts'
import type { ReadSetting } from './limits.ts'
import { askFresh, type FreshSource, readFreshSource, readSecret } from './secret-source.ts'
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
  /** Password of all these addresses, read again for new connections; null: the addresses have it, or need none. */
  databasePassword: FreshSource | null
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
    databasePassword: readFreshSource(read, 'DATABASE_PASSWORD'),
  }
}

/** Lets all connections of this process to the deployment’s database log in as the settings say. */
export function applyDatabasePassword({ databasePassword: source }: Pick<DatabaseSettings, 'databasePassword'>): void {
  logInWith(source && (async () => await askFresh(source, 'DATABASE_PASSWORD')))
}

/**
 * Faults of addresses that are useless without another one. `isGiven`: whether a setting is present, in any of its
 * forms.
 */
export function findDatabaseConflicts(settings: DatabaseSettings, isGiven: (name: string) => boolean): string[] {
  const beside = ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL', 'DATABASE_PASSWORD_FILE', 'DATABASE_PASSWORD_COMMAND']
  const urls = {
    DATABASE_URL: settings.databaseUrl,
    DATABASE_DIRECT_URL: settings.databaseDirectUrl,
    DATABASE_READ_URL: settings.databaseReadUrl,
  }
  const twice = Object.entries(urls).filter(([, url]) => settings.databasePassword !== null && url !== null && hasPassword(url.reveal()))
  return [
    ...beside
      .filter((name) => isGiven(name) && !isGiven('DATABASE_URL'))
      .map((name) => `${name}: needs DATABASE_URL, beside which it is used`),
    ...twice.map(([name]) => `${name}: has a password, and DATABASE_PASSWORD_FILE or DATABASE_PASSWORD_COMMAND gives another; remove one`),
  ]
}

function hasPassword(url: string): boolean {
  const parsed = URL.parse(urlsOf(url)[0] ?? '')
  return parsed !== null && (parsed.password !== '' || parsed.searchParams.has('password'))
}
