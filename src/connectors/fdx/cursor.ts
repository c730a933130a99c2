import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { SourceError } from '../contract/contract.ts'
import { type Position, PositionWire, START } from './paging.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const IdsByAccount = Type.Record(Type.String(), Type.Array(Type.String()))

const isResume = Compile(Type.Object({ since: Day, read: Type.Array(Type.String()), open: IdsByAccount }, { additionalProperties: false }))
const isProgress = Compile(
  Type.Object({
    since: Type.Union([Day, Type.Null()]),
    through: Day,
    list: Type.Union([PositionWire, Type.Null()]),
    queue: Type.Array(Type.Object({ id: Type.String(), currency: Type.String() })),
    at: Type.Union([PositionWire, Type.Null()]),
    read: Type.Array(Type.String()),
    open: IdsByAccount,
    pending: IdsByAccount,
  }),
)

/** Progress of a run through the transactions of all accounts; mutable. */
export interface Progress {
  /** Start day of the previous run; null for a first one. */
  since: string | null
  /** Start day of this run. */
  through: string
  /** Position in the account list; null when it was read completely. */
  list: Position | null
  /** Accounts of the list's last page that are still to be read; the first one is in progress. */
  queue: { id: string; currency: string }[]
  at: Position | null
  /** Digests of the accounts whose history has been read. */
  read: Set<string>
  /** Per account: pending transactions of the previous run not yet read by this one. */
  open: Map<string, string[]>
  /** Per account: pending transactions read by this run. */
  pending: Map<string, string[]>
}

export function readProgress(cursor: Json | null, now: Date): Progress {
  if (isProgress.Check(cursor)) {
    const { read, open, pending, queue, ...rest } = cursor
    return {
      ...rest,
      queue: [...queue],
      read: new Set(read),
      open: new Map(Object.entries(open)),
      pending: new Map(Object.entries(pending)),
    }
  }
  const begun = { through: now.toISOString().slice(0, 10), list: START, queue: [], at: null, pending: new Map<string, string[]>() }
  if (cursor === null) return { ...begun, since: null, read: new Set(), open: new Map() }
  if (isResume.Check(cursor))
    return { ...begun, since: cursor.since, read: new Set(cursor.read), open: new Map(Object.entries(cursor.open)) }
  throw new SourceError('badData', 'the cursor is no place in the transactions')
}

export function toCursor(progress: Progress): Json {
  const { read, open, pending, ...rest } = progress
  return { ...rest, read: [...read], open: Object.fromEntries(open), pending: Object.fromEntries(pending) }
}

/** Resume cursor of the next run. */
export function toResume({ through, read, pending }: Progress): Json {
  return { since: through, read: [...read], open: Object.fromEntries(pending) }
}
