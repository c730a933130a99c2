import { AUDIT_EVENT, MAX_BODY_BYTES } from './events.ts'
import { type CanonicalJson, canonicalJson } from './values/canonical-json.ts'
import { toPlainTimestamp } from './values/timestamps.ts'

type Value = string | number | boolean | null
type Values = Readonly<Record<string, Value>>

/** Entry of an instance’s audit chain. */
export interface AuditEventFacts {
  /** A UUID: the id of the event. */
  id: string
  /** In the chain; counts up without a gap. 0: a test event. */
  position: number
  /** In hexadecimal. */
  hash: string
  at: Date
  entry: {
    action: string
    userId: string | null
    subject: string | null
    actor?: string
    actorId?: string
    network?: string
    requestId?: string
    before?: Values
    after?: Values
    withheld?: readonly string[]
    details?: Values
  }
}

/**
 * Canonical body of the event of an audit entry, without its `Signature`. Values are omitted, and `IsShortened` is set, if
 * it would be larger than `MAX_BODY_BYTES` with them.
 */
export function toAuditEventBody(facts: AuditEventFacts): string {
  const whole = bodyOf(facts, false)
  return Buffer.byteLength(whole) <= MAX_BODY_BYTES ? whole : bodyOf(facts, true)
}

function bodyOf({ id, position, hash, at, entry }: AuditEventFacts, isShortened: boolean): string {
  const valuesOf = (values: Values | undefined) => (values === undefined || isShortened ? null : toCanonical(values))
  return canonicalJson({
    Class: 'Audit',
    MessageType: AUDIT_EVENT,
    Identifier: `${AUDIT_EVENT}.${id}`,
    Data: {
      Position: position,
      Hash: hash,
      RecordedOn: toPlainTimestamp(at),
      Action: entry.action,
      Actor: entry.actor ?? null,
      UserId: entry.userId,
      ActorId: entry.actorId ?? null,
      Network: entry.network ?? null,
      RequestId: entry.requestId?.toWellFormed() ?? null,
      Subject: entry.subject?.toWellFormed() ?? null,
      Before: valuesOf(entry.before),
      After: valuesOf(entry.after),
      Withheld: [...(entry.withheld ?? [])],
      Details: valuesOf(entry.details),
      IsShortened: isShortened,
    },
  })
}

/** Fractions as text: canonical JSON has whole numbers only. */
function toCanonical(values: Values): { [field: string]: CanonicalJson } {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value === 'string') return [name, value.toWellFormed()]
      return [name, typeof value === 'number' && !Number.isSafeInteger(value) ? String(value) : value]
    }),
  )
}
