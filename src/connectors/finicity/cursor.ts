import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/answers.ts'

/** An account that is asked for its movements. */
export interface ListedAccount {
  id: string
  type: string
  currency: string
}

/** Where a run stands. Times are epoch seconds. */
export interface Progress {
  from: number
  to: number
  /** Accounts that are left, the one under way first. */
  queue: ListedAccount[]
  /** Place of the next row in the list of that account, from 1. */
  start: number
  /** The first id of its last answer. */
  first: string | null
  /** Ids that were pending in the last run and have not been shown in this one. */
  waiting: Set<string>
  /** Ids that this run has shown as pending. */
  pending: Set<string>
  /** The oldest day of those. */
  oldest: number | null
}

/** What the next run starts with. */
export interface Resume {
  /** What is remembered of one login means nothing for another. */
  login: string
  until: number
  pending: string[]
  oldest: number | null
}

/** Accounts of one kind share a line: ten thousand of them are written with every page. */
export function writeProgress({ queue, waiting, pending, ...rest }: Progress): Json {
  const runs: { type: string; currency: string; ids: string[] }[] = []
  for (const { id, type, currency } of queue) {
    const last = runs.at(-1)
    if (last && last.type === type && last.currency === currency) last.ids.push(id)
    else runs.push({ type, currency, ids: [id] })
  }
  return { ...rest, waiting: [...waiting], pending: [...pending], queue: runs.map(({ ids, ...kind }) => ({ ...kind, ids: ids.join(' ') })) }
}

/** Null for anything that `writeProgress` did not write. */
export function readProgress(cursor: Json | null): Progress | null {
  if (!isJsonObject(cursor) || !Array.isArray(cursor.queue) || typeof cursor.from !== 'number' || typeof cursor.to !== 'number') return null
  const { from, to, start, first, oldest } = cursor
  return {
    from,
    to,
    queue: cursor.queue.flatMap(readRun),
    start: typeof start === 'number' && start >= 1 ? start : 1,
    first: typeof first === 'string' ? first : null,
    waiting: new Set(readIds(cursor.waiting)),
    pending: new Set(readIds(cursor.pending)),
    oldest: typeof oldest === 'number' ? oldest : null,
  }
}

/** Null when the run has to read everything. */
export function readResume(cursor: Json | null, login: string): Resume | null {
  if (!isJsonObject(cursor) || typeof cursor.until !== 'number' || cursor.login !== login) return null
  return { login, until: cursor.until, pending: readIds(cursor.pending), oldest: typeof cursor.oldest === 'number' ? cursor.oldest : null }
}

function readRun(run: Json): ListedAccount[] {
  if (!isJsonObject(run) || typeof run.ids !== 'string') return []
  const { type, currency } = run
  const kind = { type: typeof type === 'string' ? type : '', currency: typeof currency === 'string' ? currency : '' }
  return run.ids.split(' ').flatMap((id) => (id === '' ? [] : [{ id, ...kind }]))
}

function readIds(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}
