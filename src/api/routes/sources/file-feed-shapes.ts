import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { FileFeed, SettledFile } from '../../../store/sources/file-feeds.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'

const Source = Type.Union([
  strict({ kind: Type.Literal('folder'), path: Type.String() }),
  strict({
    kind: Type.Literal('sftp'),
    host: Type.String(),
    port: Type.Integer(),
    user: Type.String(),
    path: Type.String(),
    hostKey: Type.String(),
    authentication: Type.String({ enum: ['password', 'key'] }),
    afterwards: Type.String({ enum: ['move', 'leave'] }),
  }),
])

export const FeedShape = strict(
  {
    id: Uuid,
    name: Type.String(),
    companyId: orNull(Type.String({ format: 'uuid', description: 'Null: each folder of the feed is named by the id of a company' })),
    source: Source,
    everyMinutes: Type.Integer(),
    isPaused: Type.Boolean(),
    checkedOn: orNull(PlainTimestamp),
    problem: orNull(Type.String({ description: 'Why the last look found out nothing, or not all' })),
    createdOn: PlainTimestamp,
  },
  { title: 'FileFeed' },
)

export const FileShape = strict(
  {
    id: Uuid,
    name: Type.String({ description: 'Long numbers in it are masked' }),
    companyId: Uuid,
    sessionId: orNull(Uuid),
    state: Type.String({ enum: ['imported', 'duplicate', 'quarantined'] }),
    reason: orNull(Type.String({ description: 'Why it is in quarantine, or what of an imported file was left out' })),
    size: Type.Integer({ description: 'Bytes' }),
    settledOn: PlainTimestamp,
  },
  { title: 'FeedFile' },
)

export function presentFeed({ instanceId: _instance, checkedAt, createdAt, ...feed }: FileFeed) {
  return { ...feed, checkedOn: checkedAt && toPlainTimestamp(checkedAt), createdOn: toPlainTimestamp(createdAt) }
}

export function presentFile({ connectionId, settledAt, ...file }: SettledFile) {
  return { ...file, sessionId: connectionId, settledOn: toPlainTimestamp(settledAt) }
}
