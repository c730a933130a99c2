import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sources } from '../../../connectors/sources.ts'
import { completeDocuments } from '../../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../../model/records/record-schemas.ts'
import { FIRST_ID } from '../../../model/values/first-id.ts'
import type { Database } from '../../../store/db/database.ts'
import { pinnedReads } from '../../../store/db/replicas/pinned-reads.ts'
import type { Replicas } from '../../../store/db/replicas/replicas.ts'
import { type ListPin, type PinnedPiece, pinList, readPinnedPiece } from '../../../store/records/pinned-lists.ts'
import type { RecordScope } from '../../../store/records/records.ts'
import { findService } from '../../../sync/sources/catalogue.ts'
import type { Caller } from '../../access/caller.ts'
import type { Guard } from '../../access/guard.ts'
import { badRequest, conflict } from '../../errors/errors.ts'
import type { InstanceShares } from '../../http/instance-shares.ts'
import { toLines } from '../../lists/ndjson.ts'
import { requireChunks, sendLines } from '../../lists/send-lines.ts'
import type { StreamSlots } from '../../lists/stream-slots.ts'
import { checkAsOf } from './as-of.ts'
import { explainEmpty } from './explain-empty.ts'
import { COLUMNS, type RecordsRequest } from './record-list.ts'

/** Records per piece: as many as the largest page. */
const PIECE_RECORDS = 500
/** Parameters of pages, which a stream does not accept: it is the whole list, ordered by id. */
const OF_PAGES = ['PageNumber', 'PageSize', 'OrderBy', 'Desc']

/** Dependencies of a streamed list. */
export interface LineContext {
  database: Database
  replicas?: Replicas | undefined
  sources: Sources
  shares: InstanceShares
  guard: Pick<Guard, 'requireNotEnded'>
  slots: StreamSlots
}

/** Reads the piece behind an id. */
type ReadPiece = (after: string) => Promise<PinnedPiece<Lines>>

interface Lines {
  bytes: Buffer
  count: number
}

/**
 * Streams a whole list as NDJSON, pinned to one publication. Each piece is read once the client has taken the previous
 * one, as a separate turn in the instance's share of requests; in between the stream holds neither a connection nor a
 * turn.
 */
export async function sendRecordLines(
  deps: LineContext,
  wanted: RecordsRequest,
  scope: RecordScope,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  refusePaging(request)
  requireChunks(reply)
  const { database, sources } = deps
  return await deps.slots.run(scope.instanceId, async () => {
    const { category, entity, list, view } = wanted
    const service = await findService(database, sources, scope.instanceId, scope.serviceId)
    const pin = service?.category === category ? await pinList(database, scope, view.asOf ?? null) : null
    if (!pin) throw await explainEmpty(database, sources, category, scope)
    const isPlain = list.filter.length === 0 && Object.keys(view).length === 0
    const expected = isPlain ? pin[entity === 'Accounts' ? 'accounts' : 'transactions'] : null
    await checkAsOf(database, view.asOf ?? null)
    // What is current is read where a disconnect is seen at once.
    const inScope = pinnedReads(view.asOf ? deps.replicas : undefined, scope.instanceId)
    const read: ReadPiece = (after) => inScope(() => readPiece(database, wanted, scope, pin, after))
    // The route has already taken its turn.
    const first = await read(FIRST_ID)
    if (expected !== null) reply.header('x-total-count', String(expected))
    await sendLines(reply, readRest(deps, request.caller, scope.instanceId, read, first, expected))
    return reply
  })
}

function refusePaging({ url }: FastifyRequest): void {
  const given = new Set([...new URLSearchParams(url.split('?')[1]).keys()].map((name) => name.toLowerCase()))
  const refused = OF_PAGES.filter((name) => given.has(name.toLowerCase()))
  if (refused.length === 0) return
  const message = 'belongs to pages: an NDJSON answer is the whole list, in order of ids'
  throw badRequest(
    'The request has invalid values.',
    refused.map((field) => ({ field, message })),
  )
}

/** Bytes of all pieces; throws unless they are the whole list. `expected` is the number of records, if known. */
async function* readRest(
  { shares, guard }: LineContext,
  caller: Caller,
  instanceId: string,
  read: ReadPiece,
  first: PinnedPiece<Lines>,
  expected: number | null,
): AsyncGenerator<Buffer> {
  let piece = first
  let count = 0
  for (;;) {
    count += piece.written.count
    yield piece.written.bytes
    if (piece.isLast) break
    const { lastId } = piece
    await guard.requireNotEnded(caller)
    piece = await shares.run(instanceId, () => read(lastId))
  }
  if (expected !== null && count !== expected) throw lost()
}

async function readPiece(
  database: Database,
  { category, entity, list, view }: RecordsRequest,
  scope: RecordScope,
  pin: ListPin,
  after: string,
): Promise<PinnedPiece<Lines>> {
  const selection = { entity, filter: list.filter, columns: COLUMNS[category][entity], view, limit: PIECE_RECORDS }
  const write = (documents: readonly Buffer[]): Lines => ({
    bytes: toLines(completeDocuments(RECORD_SCHEMAS[category][entity], documents)),
    count: documents.length,
  })
  const piece = await readPinnedPiece(database, scope, pin, selection, after, write)
  if (!piece) throw lost()
  return piece
}

function lost(): Error {
  return conflict(
    'What was published when the list began is no longer stored: the company was disconnected, or the data deleted. Ask again.',
  )
}
