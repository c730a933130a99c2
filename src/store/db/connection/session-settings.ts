/** So that no request hangs. */
const TIMEOUTS = { statement_timeout: '30s', lock_timeout: '10s', idle_in_transaction_session_timeout: '30s' }

function toSettings(settings: Record<string, string>, isLocal: boolean): string {
  return Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(', ')
}

/**
 * Session setup of each new connection: timeouts, and the default scope of all instances for the pool's own queries.
 * NOTE: not as startup parameters, which PgBouncer rejects or drops.
 * Source: https://www.pgbouncer.org/config.html#ignore_startup_parameters
 */
export const SET_UP = `select pg_is_in_recovery() as "isStandby", ${toSettings({ 'countinghouse.instance': '*', ...TIMEOUTS }, false)}`

/**
 * Settings of one statement behind a pooler in transaction mode, which end with its transaction. A standby refuses the
 * last one, so that nobody reads from it by mistake.
 */
export const OF_STATEMENT = `select set_config('countinghouse.instance', $1, true), ${toSettings({ ...TIMEOUTS, transaction_read_only: 'off' }, true)}`

/** Timeouts that end with the transaction. */
export const LOCAL_TIMEOUTS = toSettings(TIMEOUTS, true)

/** `begin` and the scope setting in one round trip. The setting ends with the transaction. */
export function beginWithin(instanceId: string): string {
  return `begin; select set_config('countinghouse.instance', '${instanceId}', true)`
}

/** The same with the timeouts that a session would have. */
export function beginShared(scope: string): string {
  return `begin; ${OF_STATEMENT.replace('$1', `'${scope}'`)}`
}
