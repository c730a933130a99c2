import type { SealContext } from './sealing.ts'

/** Column with sealed values. All members but the names are SQL over a row of the table. */
export interface SealedColumn {
  table: string
  /** Column name in the seal context. */
  column: string
  /** Key of a row within its instance; also the order of rows. */
  key: string
  rowId: string
  /** Null where values have no generations. */
  generation: string | null
  value: string
  /** Columns whose bytes, except the first, may be in object storage: SQL of the object, null if the value is whole. */
  object: string | null
  /** SQL that sets the head of the value to the bytes `head`. */
  assign(head: string): string
}

/** Row of a table with sealed values, in the order of `key`. */
export interface RowCursor {
  instanceId: string
  key: string
}

/** All columns with sealed values: add new ones here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  plain('connections', 'credentials', { generation: 'credentials_generation' }),
  plain('credential_versions', 'sealed', { rowId: `connection_id || '/' || id`, generation: 'base_generation + 1' }),
  plain('authorizations', 'memo'),
  plain('source_files', 'sealed'),
  plain('subscription_secrets', 'sealed'),
  plain('two_steps', 'secret', { key: 'user_id', rowId: 'user_id::text' }),
  plain('operators', 'two_step_secret'),
  plain('identity_providers', 'client_secret'),
  plain('provider_sessions', 'tokens', { key: 'session_id', rowId: 'session_id::text' }),
  plain('raw_pages', 'sealed', {
    object: `case when object_id is not null
      then jsonb_build_object('key', instance_id || '/' || connection_id || '/' || object_id, 'bytes', object_bytes) end`,
  }),
  plain('export_chunks', 'sealed'),
  plain('export_destinations', 'secret'),
  plain('file_feeds', 'secret'),
  plain('mails', 'sealed'),
  plain('idempotency_keys', 'sealed'),
  plain('hand_offs', 'helper', { key: 'link_id', rowId: 'link_id::text' }),
  plain('owner_addresses', 'address', { key: 'company_id', rowId: 'company_id::text' }),
  plain('source_keys', 'sealed', { generation: 'generation' }),
  {
    table: 'jobs',
    column: 'farewell',
    key: 'id',
    rowId: `payload->>'connectionId'`,
    generation: null,
    value: `decode(payload->>'farewell', 'base64')`,
    object: null,
    assign: (head) =>
      `payload = jsonb_set(payload, '{farewell}', to_jsonb(translate(encode(overlay(decode(payload->>'farewell', 'base64') placing ${head} from 1), 'base64'), E'\\n', '')))`,
  },
]

export interface SealedRow {
  instanceId: string
  rowId: string
  generation: number | null
}

export function toContext(sealedColumn: SealedColumn, row: SealedRow): SealContext {
  const { table, column } = sealedColumn
  const context = { instanceId: row.instanceId, table, rowId: row.rowId, column }
  return row.generation === null ? context : { ...context, generation: row.generation }
}

function plain(
  table: string,
  column: string,
  parts: { key?: string; rowId?: string; generation?: string; object?: string } = {},
): SealedColumn {
  return {
    ...{ table, column, key: parts.key ?? 'id', rowId: parts.rowId ?? 'id::text', generation: parts.generation ?? null, value: column },
    object: parts.object ?? null,
    assign: (head) => `${column} = overlay(${column} placing ${head} from 1)`,
  }
}
