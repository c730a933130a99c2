import { randomInt, randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { acrossInstances } from '../instance-scope.ts'
import { type Position, toPosition } from './positions.ts'

/**
 * Mark: a row that this process wrote on the primary. A server that shows it has everything that was committed before
 * it was asked for, in the history of that primary and no other.
 */
export interface Mark {
  id: string
  slot: number
  /** Everything up to here was in the log before the mark. */
  position: Position
  /** Epoch of the table of recent changes, which had lost no row when the mark was written; see `findRecentChanges`. */
  epoch: string
  /** Monotonic and wall clock of this process before it asked for the mark. */
  askedAtMs: number
  askedAtTime: number
}

/** Number of slots; a new mark overwrites the mark of a random slot, which is then no longer shown. */
const SLOTS = 4_096

/** Clocks of a process: monotonic, and the one that also runs while a machine sleeps. */
export interface Clocks {
  elapsedMs(): number
  now(): Date
}

/**
 * Writes a mark on the primary. NOTE its position is the end of the log, not of what was flushed: an asynchronous
 * commit can be visible before it is on disk.
 */
export async function writeMark(primary: Database, clocks: Clocks): Promise<Mark> {
  const epoch = await ensureEpoch(primary)
  const id = randomUUID()
  const asked = { askedAtMs: clocks.elapsedMs(), askedAtTime: clocks.now().getTime() }
  // Local durability is enough: a replica never shows a mark that was lost in a failover.
  const { rows } = await acrossInstances(() =>
    primary.query<{ slot: number; position: string }>(
      `insert into read_marks (slot, id, position, written_at)
       values ($2, $1, pg_current_wal_insert_lsn(), statement_timestamp())
       on conflict (slot) do update set id = excluded.id, position = excluded.position, written_at = excluded.written_at
       returning slot, position::text as position, set_config('synchronous_commit', 'local', true)`,
      [id, randomInt(SLOTS)],
    ),
  )
  const [row] = rows
  if (!row) throw new Error('an insert without a condition returned no row')
  return { id, slot: row.slot, position: toPosition(row.position), epoch, ...asked }
}

/**
 * Epoch of the table of recent changes, created again where a crash has emptied it. Before the mark, so that the table
 * contains everything after it.
 */
async function ensureEpoch(primary: Database): Promise<string> {
  const read = () => acrossInstances(() => primary.query<{ id: string }>('select id from recent_changes_epoch'))
  const [found] = (await read()).rows
  if (found) return found.id
  await acrossInstances(() =>
    primary.query('insert into recent_changes_epoch (id) values ($1) on conflict (is_only) do nothing', [randomUUID()]),
  )
  const [made] = (await read()).rows
  if (!made) throw new Error('the epoch of recent changes is gone again')
  return made.id
}
