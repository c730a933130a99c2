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

/** How far a run through the movements of all accounts has come; changed as it goes on. */
export interface Progress {
  /** Day on which the run before began; null for a first one. */
  since: string | null
  /** Day on which this run began. */
  through: string
  /** Where the list of accounts goes on; null when all of it has been taken. */
  list: Position | null
  /** Accounts of the list's last page that are still to be read; the first one is under way. */
  queue: { id: string; currency: string }[]
  at: Position | null
  /** Digests of the accounts whose history has been read. */
  read: Set<string>
  /** Per account: what the run before left pending and this one has not met. */
  open: Map<string, string[]>
  /** Per account: what this run met pending. */
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

/** What the next run begins with. */
export function toResume({ through, read, pending }: Progress): Json {
  return { since: through, read: [...read], open: Object.fromEntries(pending) }
}
