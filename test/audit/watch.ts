import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../src/store/db/database.ts'

/** Counters, locks and repetitions, which are not changes to anything owned. */
const NOT_WATCHED = [
  ...['api_usage', 'usage_days', 'audit_chains', 'audit_entries', 'audit_cursors', 'unknown_logins', 'idempotency_keys'],
  ...['login_rate_limits', 'known_networks', 'source_limits', 'source_pauses', 'workers', 'event_feeds', 'feed_weeks'],
  // How far links have got.
  'link_progress',
  // Last activity of an operator; an incomplete sign-in.
  'operator_sessions',
  // Places that the change feed gives when it is read.
  ...[
    'change_feeds',
    'placed_publications',
    'placed_changes',
    'unplaced_publications',
    'unindexed_publications',
    'account_words',
    'indexed_publications',
    'company_texts',
  ],
  // Counts of what an instance uses.
  'instance_uses',
  // What a passkey is asked to sign within minutes.
  'passkey_challenges',
]

/** Digest of every table's content by name, and the number of audit entries. */
export interface Snapshot {
  tables: Map<string, string>
  entries: number
}

export async function takeSnapshot(db: Db): Promise<Snapshot> {
  const { rows: names } = await db.query<{ name: string }>(
    `select relname as name from pg_class c where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> all($1)
       and not exists (select from pg_inherits i where i.inhrelid = c.oid) order by 1`,
    [NOT_WATCHED],
  )
  const digests = names.map(
    ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from ${name} t`,
  )
  const { rows } = await db.query<{ name: string; digest: string }>(digests.join(' union all '))
  const counted = await db.query<{ entries: number }>('select count(*)::int as entries from audit_entries')
  return { tables: new Map(rows.map(({ name, digest }) => [name, digest])), entries: counted.rows[0]?.entries ?? 0 }
}

/** Tables that differ. */
export function listChanged(before: Snapshot, after: Snapshot): string[] {
  return [...after.tables].filter(([name, digest]) => before.tables.get(name) !== digest).map(([name]) => name)
}

interface Route {
  method: string
  url: string
  /** Whether a request may leave no entry. */
  isSilent: boolean
  changes: boolean
}

/** Snapshots until an entry that is declared counts as missing. */
const MAX_LOOKS = 50

/** A JSON response; a test reads the properties that it expects. */
export type Answered = Record<string, string> & { recoveryCodes?: string[] }

/** Calls the operations of a server and records problems with their entries. */
export class Walk {
  readonly faults: string[] = []
  readonly #app: FastifyInstance
  readonly #db: Db
  readonly #routes = new Map<string, Route>()
  readonly #seen = new Set<string>()

  /** To be called before the server is ready. */
  constructor(app: FastifyInstance, db: Db) {
    this.#app = app
    this.#db = db
    app.addHook('onRoute', ({ method, url, schema, config }) => {
      const { operationId } = (schema ?? {}) as { operationId?: string }
      const audit = config?.audit
      const isSilent = audit === undefined || (typeof audit === 'object' && 'none' in audit)
      for (const each of [method].flat())
        if (operationId !== undefined && each !== 'HEAD')
          this.#routes.set(operationId, { method: each, url, isSilent, changes: each !== 'GET' || audit !== undefined })
    })
  }

  /** Operations that change something and were not called successfully. */
  listUnseen(): string[] {
    return [...this.#routes].filter(([id, { changes }]) => changes && !this.#seen.has(id)).map(([id]) => id)
  }

  /** Operations that only read, with their path. */
  listReads(): string[] {
    return [...this.#routes].filter(([, { changes }]) => !changes).map(([id]) => id)
  }

  /**
   * Calls an operation. Problems are: a failure, a change without an entry, a missing entry that is declared, and an
   * entry that is not declared. `mayFail` is for reads with invented arguments.
   */
  async step(operationId: string, { ids = {}, body, headers = {}, mayFail = false }: Step): Promise<Answered> {
    await this.#app.ready()
    const route = this.#routes.get(operationId)
    if (!route) throw new Error(`unknown operation ${operationId}`)
    const url = route.url.replace(/:(\w+)/g, (_match, name: string) => ids[name] ?? randomUUID())
    const before = await takeSnapshot(this.#db)
    const answer = await this.#app.inject({ method: route.method as 'GET', url, headers, ...(body ? { payload: body } : {}) })
    let after = await takeSnapshot(this.#db)
    // Work that continues after the response, such as the mail of a password reset.
    const isEntryDue = !route.isSilent && answer.statusCode < 400
    for (let look = 1; isEntryDue && after.entries === before.entries && look < MAX_LOOKS; look += 1) after = await takeSnapshot(this.#db)
    if (answer.statusCode < 400) this.#seen.add(operationId)
    else if (!mayFail) this.faults.push(`${operationId} answers ${answer.statusCode} ${answer.body.slice(0, 300)}`)
    const changed = listChanged(before, after).filter((table) => !UNRECORDED_CHANGES[operationId]?.includes(table))
    const entries = after.entries - before.entries
    if (changed.length > 0 && entries === 0) this.faults.push(`${operationId} changes ${changed.join(', ')} and leaves no entry`)
    if (route.isSilent && entries > 0) this.faults.push(`${operationId} leaves an entry that it does not declare`)
    if (!route.isSilent && entries === 0) this.faults.push(`${operationId} leaves no entry`)
    return answer.body.startsWith('{') ? answer.json<Answered>() : {}
  }
}

export interface Step {
  ids?: Readonly<Record<string, string | undefined>>
  body?: object
  headers?: Record<string, string>
  mayFail?: boolean
}

/** A refreshed token continues a session that the login has recorded, and so does the second step. */
const UNRECORDED_CHANGES: Record<string, readonly string[]> = {
  refreshToken: ['refresh_tokens', 'sessions'],
}
