import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { Category } from '../../../model/catalogue.ts'
import { completeDocument } from '../../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { ChangedRecord } from '../../../store/changes/changed-record.ts'
import type { FeedEntry } from '../../../store/changes/changed-records.ts'
import { type ChangeItem, type ChangePage, LostPosition, readChanges } from '../../../store/changes/read-changes.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { readers } from '../../access/caller.ts'
import { ApiError, badField, notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'
import { type CursorFilter, printChangeCursor, readChangeCursor } from './change-cursor.ts'

const DEFAULT_LIMIT = 100
const Entity = Type.Union([Type.Literal('Accounts'), Type.Literal('Transactions')])

const ChangeShape = strict(
  {
    operation: Type.String({
      enum: ['upsert', 'delete', 'clear'],
      description: '`clear`: the data of this company at this service is gone, all its records together, as after a disconnect',
    }),
    entity: orNull(Type.String({ enum: ['Accounts', 'Transactions'] })),
    id: orNull(Type.String({ format: 'uuid', description: 'Normalized id, the same for all versions; null with `clear`' })),
    companyId: Uuid,
    serviceId: Uuid,
    sessionId: Uuid,
    publishedOn: orNull(PlainTimestamp),
    explanation: orNull(Type.String({ description: 'Path of what explains each field of the version, also of a deleted one' })),
    record: Type.Union([
      Type.Null(),
      ...[RECORD_SCHEMAS.Accounting, RECORD_SCHEMAS.Banking].flatMap(({ Accounts, Transactions }) => [
        Accounts.document,
        Transactions.document,
      ]),
    ]),
  },
  { title: 'RecordChange' },
)

/** Change feed of all companies. */
export function changeRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listChangesRoute])
}

const listChangesRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/changes',
    scope: 'data:read',
    roles: readers,
    schema: {
      tags: ['Data'],
      summary: 'Changed records of all companies: ask again with the cursor, and nothing is ever missed',
      operationId: 'listChanges',
      querystring: strict({
        Cursor: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description: 'Of the answer before. Without one the feed begins with everything that is published',
          }),
        ),
        Limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: DEFAULT_LIMIT, description: 'Most items of an answer' })),
        CompanyId: Type.Optional(Uuid),
        Entity: Type.Optional(Entity),
      }),
      response: { 200: strict({ data: Type.Array(ChangeShape), cursor: Type.String(), hasMore: Type.Boolean() }) },
    },
  },
  async ({ database }: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const { Cursor, Limit, CompanyId, Entity: entity } = request.query
    const filter = { companyId: CompanyId?.toLowerCase() ?? null, entity: entity ?? null }
    const from = Cursor === undefined ? null : readPosition(Cursor, filter)
    if (from === null && filter.companyId !== null && !(await findCompany(database, instanceId, filter.companyId)))
      throw notFound('company')
    return await sendChanges(reply, filter, readChanges(database, instanceId, from, filter, Limit ?? DEFAULT_LIMIT))
  },
)

/** NOTE sent as finished text: the schema would print numbers as doubles. */
async function sendChanges(reply: FastifyReply, filter: CursorFilter, reading: Promise<ChangePage>): Promise<FastifyReply> {
  try {
    const page = await reading
    const cursor = JSON.stringify(printChangeCursor(page.next, filter))
    const body = `{"data":[${page.items.map(printItem).join(',')}],"cursor":${cursor},"hasMore":${page.hasMore}}`
    return reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store').send(Buffer.from(body))
  } catch (error) {
    throw sayLost(error)
  }
}

/** Error for an unusable cursor; other errors are returned unchanged. */
export function sayLost(error: unknown): unknown {
  return error instanceof LostPosition ? new ApiError(410, LOST[error.why], { cause: error }) : error
}

const AGAIN = 'Begin again without a cursor: the feed then gives everything that is published, and goes on from there.'
const LOST: Record<LostPosition['why'], string> = {
  expired: `The cursor is older than the changes that are kept, 90 days. ${AGAIN}`,
  restored: `The cursor was given after the backup from which the database was restored. ${AGAIN}`,
  foreign: `The cursor belongs to another instance or deployment, or the database was restored from a backup made before this feed was first read. ${AGAIN}`,
}

/** Position of a cursor given for these changes. Throws an error for the caller. */
export function readPosition(cursor: string, filter: CursorFilter) {
  const read = readChangeCursor(cursor)
  if (!read)
    throw badField('Cursor', 'is not a cursor of this feed, or not all of one: send it as the answer named it, or begin again without one')
  if (read.filter.companyId !== filter.companyId || read.filter.entity !== filter.entity) {
    throw badField('Cursor', 'was given for another CompanyId or Entity: repeat those, or begin again without a cursor')
  }
  return read.position
}

function printItem({ record, cleared }: ChangeItem): string {
  return record ? printRecord(record) : printCleared(cleared)
}

const SEGMENTS: Record<Category, string> = { Accounting: 'accountancy', Banking: 'banking' }

function printRecord({ category, entity, id, companyId, serviceId, connectionId, deleted, publishedAt, doc }: ChangedRecord): string {
  const head = JSON.stringify({
    operation: deleted ? 'delete' : 'upsert',
    ...{ entity, id, companyId, serviceId },
    sessionId: connectionId,
    publishedOn: toPlainTimestamp(publishedAt),
    explanation: `/admin/api/v1/normalized-data/${companyId}/${SEGMENTS[category]}/${entity.toLowerCase()}/${serviceId}/${id}/explanation`,
  })
  return `${head.slice(0, -1)},"record":${deleted ? 'null' : completeDocument(RECORD_SCHEMAS[category][entity], doc)}}`
}

function printCleared({ companyId, serviceId, connectionId }: FeedEntry): string {
  const nothing = { entity: null, id: null }
  return JSON.stringify({
    ...{ operation: 'clear', ...nothing, companyId, serviceId },
    ...{ sessionId: connectionId, publishedOn: null, explanation: null, record: null },
  })
}
