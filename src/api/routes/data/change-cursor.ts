import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { parseJsonOrNull } from '../../../model/values/json.ts'
import type { ChangePosition } from '../../../store/changes/read-changes.ts'

/** Changes for which a cursor is valid. */
export interface CursorFilter {
  companyId: string | null
  entity: 'Accounts' | 'Transactions' | null
}

const Id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' })
const Known = Type.Union([Id, Type.Null()])
const Entity = Type.Union([Type.Literal('Accounts'), Type.Literal('Transactions')])
const Position = Type.String({ pattern: '^\\d{1,18}$' })
/** Instant as the database prints it; `isDay` validates the day of the month. */
const From = Type.String({
  pattern: '^(-infinity|\\d{4}-(0\\d|1[0-2])-[0-3]\\d ([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?[+-](0\\d|1[0-5])(:[0-5]\\d)?)$',
})

/** Content of a cursor: feed, place, filter, and the last record read of a place or of the initial list. */
const Written = Type.Tuple([
  Id,
  Position,
  Known,
  Type.Tuple([Known, Type.Union([Entity, Type.Null()])]),
  Type.Union([
    Type.Null(),
    Type.Tuple([Type.Literal('all')]),
    Type.Tuple([Type.Literal('all'), Id, Id, Entity, Id]),
    Type.Tuple([Type.Literal('place'), Entity, From, Id]),
  ]),
])

const CHECK_BYTES = 6

/** Position as text with a checksum, so that a truncated cursor is not taken for another one. */
export function printChangeCursor({ feedId, position, placeId, ...rest }: ChangePosition, filter: CursorFilter): string {
  const { isStarting, mark } = rest
  const read = isStarting
    ? mark === null
      ? ['all']
      : ['all', mark.companyId, mark.serviceId, mark.entity, mark.id]
    : mark && ['place', mark.entity, mark.from, mark.id]
  const body = Buffer.from(JSON.stringify([feedId, position, placeId, [filter.companyId, filter.entity], read]))
  return Buffer.concat([checkSum(body), body]).toString('base64url')
}

/** Null for a text that is not a complete cursor. */
export function readChangeCursor(text: string): { position: ChangePosition; filter: CursorFilter } | null {
  const bytes = Buffer.from(text, 'base64url')
  const body = bytes.subarray(CHECK_BYTES)
  if (body.length === 0 || !checkSum(body).equals(bytes.subarray(0, CHECK_BYTES)) || bytes.toString('base64url') !== text) return null
  const written = parseJsonOrNull(body.toString())
  if (!Check(Written, written)) return null
  const [feedId, position, placeId, [companyId, entity], read] = written
  if (read?.[0] === 'place' && read[2] !== '-infinity' && !isDay(read[2].slice(0, 10))) return null
  return { position: { feedId, position, placeId, ...toMark(read) }, filter: { companyId, entity } }
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return day.getUTCFullYear() > 0 && day.toISOString().startsWith(text)
}

type Read = Type.Static<typeof Written>[4]

function toMark(
  read: Read,
): Pick<ChangePosition, 'isStarting' | 'mark'> & ({ isStarting: true; mark: PublishedMark } | { isStarting: false; mark: Mark }) {
  if (read === null) return { isStarting: false, mark: null }
  if (read[0] === 'place') return { isStarting: false, mark: { entity: read[1], from: read[2], id: read[3] } }
  if (read.length === 1) return { isStarting: true, mark: null }
  return { isStarting: true, mark: { companyId: read[1], serviceId: read[2], entity: read[3], id: read[4] } }
}

type PublishedMark = Extract<ChangePosition, { isStarting: true }>['mark']
type Mark = Extract<ChangePosition, { isStarting: false }>['mark']

function checkSum(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest().subarray(0, CHECK_BYTES)
}
