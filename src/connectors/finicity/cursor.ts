import type { Json } from '../../model/values/json.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'

/** Account whose transactions are to be read. */
export interface ListedAccount {
  id: string
  type: string
  currency: string
}

/** Progress of a run. Times are epoch seconds. */
export interface Progress {
  from: number
  to: number
  /** Remaining accounts, the one in progress first. */
  queue: ListedAccount[]
  /** Index of the next row in the list of that account, from 1. */
  start: number
  /** First id of its last response. */
  first: string | null
  /** Ids that were pending in the last run and have not been listed in this one. */
  waiting: Set<string>
  /** Ids that this run has listed as pending. */
  pending: Set<string>
  /** Earliest day among those. */
  oldest: number | null
}

/** Resume cursor of the next run. */
export interface Resume {
  /** Login of the remembered data, which is meaningless for another login. */
  login: string
  until: number
  pending: string[]
  oldest: number | null
}

/** Serialized progress. Accounts of one kind share a line: ten thousand of them are written with every page. */
export function writeProgress({ queue, waiting, pending, ...rest }: Progress): Json {
  const runs: { type: string; currency: string; ids: string[] }[] = []
  for (const { id, type, currency } of queue) {
    const last = runs.at(-1)
    if (last && last.type === type && last.currency === currency) last.ids.push(id)
    else runs.push({ type, currency, ids: [id] })
  }
  return { ...rest, waiting: [...waiting], pending: [...pending], queue: runs.map(({ ids, ...kind }) => ({ ...kind, ids: ids.join(' ') })) }
}

/** Parsed progress; null for any other value than one of `writeProgress`. */
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

/** Parsed resume cursor; null when the run has to read everything. */
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
