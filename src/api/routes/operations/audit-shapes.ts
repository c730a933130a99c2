import { Type } from 'typebox'
import { ACTOR_KINDS } from '../../../audit/actor.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { RecordedEntry } from '../../../store/access/audit.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const Values = (description: string) =>
  orNull(Type.Record(Type.String(), orNull(Type.Union([Type.String(), Type.Number(), Type.Boolean()])), { description }))

export const Entry = strict(
  {
    position: Type.Integer({ description: 'Counts up without a gap; an entry is never changed' }),
    recordedOn: PlainTimestamp,
    action: Type.String({ examples: ['user.created'] }),
    actor: orNull(
      Type.String({ enum: [...ACTOR_KINDS], description: 'Who acted; `visitor`: nobody had signed in. Null in entries of release 1.0.0' }),
    ),
    userId: orNull(Uuid),
    actorId: orNull(Type.String({ description: 'Of an actor that is no user: an API key, the company of an owner, a command' })),
    network: orNull(Type.String({ description: 'An IPv4 address, or the /64 of an IPv6 address' })),
    requestId: orNull(Type.String({ description: 'As in the log and in `X-Request-Id`' })),
    subject: orNull(Type.String({ description: 'What it was done to, such as `user/<id>`' })),
    before: Values('Changed fields as they were'),
    after: Values('Changed fields as they are since'),
    withheld: Type.Array(Type.String(), { description: 'Changed fields whose values are not kept: secrets, addresses' }),
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  },
  { title: 'AuditEntry' },
)

export const FILTER = {
  recordedOn: 'date',
  position: 'number',
  action: 'string',
  actor: 'string',
  userId: 'uuid',
  actorId: 'string',
  network: 'string',
  requestId: 'string',
  subject: 'string',
} as const

export function presentEntry({ position, at, entry }: RecordedEntry) {
  return {
    position,
    recordedOn: toPlainTimestamp(at),
    action: entry.action,
    actor: ACTOR_KINDS.find((kind) => kind === entry.actor) ?? null,
    userId: entry.userId,
    actorId: entry.actorId ?? null,
    network: entry.network ?? null,
    requestId: entry.requestId ?? null,
    subject: entry.subject,
    before: entry.before ?? null,
    after: entry.after ?? null,
    withheld: entry.withheld ?? [],
    details: entry.details ?? {},
  }
}
