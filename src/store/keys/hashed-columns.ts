/** Column with keyed hashes that a `token-hash` key is needed for. All members but `what` are SQL over a row of the table. */
export interface HashedColumn {
  table: string
  column: string
  /** Name of the rows, in the plural. */
  what: string
  /** Time at which the hash was made, or a later one; null if it is not known: then every older key seems to be needed. */
  madeAt: string
  /** Whether the row can still be found by its hash. */
  isLive: string
}

/**
 * All columns with keyed hashes that outlive a day: add new ones here. A hash does not show its key; the time at which
 * it was made does.
 */
export const HASHED_COLUMNS: readonly HashedColumn[] = [
  {
    table: 'links',
    column: 'token_hash',
    what: 'links',
    madeAt: 'created_at',
    isLive: 'completed_at is null and revoked_at is null and expires_at > statement_timestamp()',
  },
  {
    table: 'refresh_tokens',
    column: 'token_hash',
    what: 'sessions',
    madeAt: '(select s.last_used_at from sessions s where s.instance_id = t.instance_id and s.id = t.session_id)',
    isLive: `used_at is null and expires_at > statement_timestamp() and exists (select from sessions s where s.instance_id = t.instance_id
      and s.id = t.session_id and s.ended_at is null and s.expires_at > statement_timestamp())`,
  },
  {
    table: 'recovery_codes',
    column: 'code_hash',
    what: 'recovery codes',
    // New codes of a confirmed second step have no timestamp, so an older key appears to be needed.
    madeAt: '(select s.started_at from two_steps s where s.instance_id = t.instance_id and s.user_id = t.user_id)',
    isLive: 'used_at is null',
  },
  {
    table: 'operator_recovery_codes',
    column: 'code_hash',
    what: 'recovery codes of operators',
    madeAt: '(select o.two_step_started_at from operators o where o.instance_id = t.instance_id and o.id = t.operator_id)',
    isLive: 'used_at is null',
  },
  {
    table: 'api_keys',
    column: 'token_hash',
    what: 'API keys',
    madeAt: 'created_at',
    isLive: 'revoked_at is null and (expires_at is null or expires_at > statement_timestamp())',
  },
  { table: 'owner_accesses', column: 'token_hash', what: 'owner pages', madeAt: 'created_at', isLive: 'revoked_at is null' },
  { table: 'receivers', column: 'token_hash', what: 'receivers', madeAt: 'created_at', isLive: 'true' },
  { table: 'audit_entries', column: 'hash', what: 'audit entries', madeAt: 'at', isLive: 'true' },
  // Seals of chains whose entries retention has deleted.
  {
    table: 'audit_chains',
    column: 'head_hash',
    what: 'audit chains without entries',
    madeAt: 'null::timestamptz',
    isLive: 'head_hash is not null and position = start_position',
  },
]
