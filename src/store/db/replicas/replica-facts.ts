import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { reasonOf } from '../../../model/texts/reason-of.ts'
import { connectionOf, serverName } from '../connection/database-url.ts'
import { LoginClient } from '../connection/login.ts'
import type { Db } from '../database.ts'
import { type Position, toPosition } from './positions.ts'

/** Timeout of the connection, and of each query. */
const TIMEOUT_MS = 5_000
const ASK_EVERY_MS = 200

export interface PrimaryFacts {
  /** Identifier of the cluster, which its standbys share. */
  cluster: string
  /** Start time of the server: equal for two addresses of the same server. */
  startedAt: string
  position: Position
}

/** Facts about a server that is configured as a replica. */
export interface ReplicaFacts {
  /** Host and port. */
  name: string
  /** Why it did not answer; null if it did. */
  error: string | null
  cluster: string
  startedAt: string
  isStandby: boolean
  /** Whether it replayed what the primary had, in the given time. */
  isCaughtUp: boolean
  isEncrypted: boolean
  /** Whether a pooler or load balancer answers in its place. */
  isPooled: boolean
  hasFeedback: boolean
}

export async function readPrimaryFacts(db: Db): Promise<PrimaryFacts> {
  const { rows } = await db.query<{ cluster: string; startedAt: string; position: string }>(
    `select system_identifier::text as cluster, extract(epoch from pg_postmaster_start_time())::text as "startedAt",
       pg_current_wal_flush_lsn()::text as position from pg_control_system()`,
  )
  const [row] = rows
  if (!row) throw new Error('the database did not say what it is')
  return { ...row, position: toPosition(row.position) }
}

/** Queries one server, and waits up to `timeoutMs` until it has replayed what the primary had. Writes nothing. */
export async function examineReplica(
  url: string,
  { primary, timeoutMs }: { primary: PrimaryFacts; timeoutMs: number },
): Promise<ReplicaFacts> {
  const client = new LoginClient({
    ...connectionOf(url),
    application_name: 'countinghouse doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  const facts: ReplicaFacts = { ...NOT_ANSWERED, name: serverName(url) }
  try {
    await client.connect()
    const found = { ...facts, ...(await ask(client)) }
    if (!found.isStandby || found.cluster !== primary.cluster) return found
    return { ...found, isCaughtUp: await awaitPosition(client, primary.position, timeoutMs) }
  } catch (error) {
    return { ...facts, error: reasonOf(error) }
  } finally {
    client.connection.stream.destroy()
  }
}

const NOT_ANSWERED = {
  error: null,
  cluster: '',
  startedAt: '',
  isStandby: false,
  isCaughtUp: false,
  isEncrypted: false,
  isPooled: false,
  hasFeedback: false,
}

async function ask(client: pg.Client): Promise<Partial<ReplicaFacts>> {
  const { rows } = await client.query<Partial<ReplicaFacts> & { pid: number }>(
    `select pg_is_in_recovery() as "isStandby", (select system_identifier::text from pg_control_system()) as cluster,
       extract(epoch from pg_postmaster_start_time())::text as "startedAt",
       coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
       current_setting('hot_standby_feedback') = 'on' as "hasFeedback", pg_backend_pid() as pid`,
  )
  const { pid, ...facts } = rows[0] ?? { pid: 0 }
  return { ...facts, isPooled: !('processID' in client && client.processID === pid) }
}

async function awaitPosition(client: pg.Client, wanted: Position, timeoutMs: number): Promise<boolean> {
  const startedMs = performance.now()
  for (;;) {
    const { rows } = await client.query<{ position: string | null }>('select pg_last_wal_replay_lsn()::text as position')
    const position = rows[0]?.position ?? null
    if (position !== null && toPosition(position) >= wanted) return true
    if (performance.now() - startedMs > timeoutMs) return false
    await wait(ASK_EVERY_MS)
  }
}
