import { createHash, randomUUID } from 'node:crypto'
import { InputRefused, type UploadAuthorization } from '../connectors/authorization.ts'
import type { Grant } from '../connectors/contract.ts'
import { toServiceId } from '../model/catalogue.ts'
import { Status } from '../model/statuses.ts'
import type { LocalizedText } from '../model/text.ts'
import { tell } from '../model/told.ts'
import {
  type Connection,
  createConnection,
  findLivingConnection,
  findProvisional,
  lockConnection,
  writeGrant,
  writeStatus,
} from '../store/connections.ts'
import { type Db, inTransaction } from '../store/database.ts'
import { type FileFeed, type FileMark, type SettledBefore, settleFile } from '../store/file-feeds.ts'
import { enqueueJob } from '../store/jobs.ts'
import { storeFile } from '../store/source-files.ts'
import { findService, type Service } from './catalogue.ts'
import { sealCredentials } from './credentials.ts'
import { refreshAtOf } from './credentials-refresh.ts'
import type { SyncDeps } from './deps.ts'
import { raiseEvent } from './events.ts'
import type { Inbox, InboxFile } from './file-feed-inbox.ts'
import { reasonText, shownName, tooLarge } from './file-feed-texts.ts'
import { moveStatus } from './status.ts'

/** The service that takes statement files. */
const UPLOAD_KEY = 'bank-files'

/** A file that has stopped growing, and whose it is. */
export interface FeedFile {
  feed: FileFeed
  folder: string
  companyId: string
  file: InboxFile
  mark: FileMark
  /** What became of a file of this name, size and time before. */
  before: SettledBefore | null
}

/**
 * Takes one file: what it says is kept and a sync queued, or it is refused and the reason written down; all that in one transaction, and
 * only then is it moved. `waits` when it changed meanwhile.
 */
export async function takeFile(deps: SyncDeps, inbox: Inbox, found: FeedFile, stays: boolean): Promise<'waits' | 'done'> {
  const { service, upload } = await uploadService(deps, found)
  const { folder, file } = found
  const bytes = file.size > upload.maxBytes ? null : await inbox.read(folder, file.name, upload.maxBytes)
  const now = await inbox.look(folder, file.name)
  if (now === null || now.size !== file.size || now.modifiedMs !== file.modifiedMs) return 'waits'
  const read =
    bytes === null || bytes.length > upload.maxBytes ? { refusal: tooLarge(upload.maxBytes) } : await examine(upload, file.name, bytes)
  // Where somebody was killed before the move, only that is missing.
  const isSettled = found.before !== null && isSame(found.before.contentHash, bytes)
  if (!isSettled) {
    await inTransaction(deps.database, async (db) => {
      if ('refusal' in read) await refuseFile(deps, db, found, service, { refusal: read.refusal, bytes })
      else await importFile(deps, db, found, service, read)
      await deps.crashPoint?.('before-feed-commit')
    })
    await deps.crashPoint?.('after-feed-commit-before-move')
  }
  if (stays) return 'done'
  if ('refusal' in read) {
    await inbox.write(folder, 'quarantine', `${file.name}.reason.txt`, reasonText(file.name, read.refusal, deps.now()))
  }
  await inbox.move(folder, file.name, 'refusal' in read ? 'quarantine' : 'archive')
  return 'done'
}

function isSame(before: Uint8Array | null, bytes: Uint8Array | null): boolean {
  if (before === null || bytes === null) return before === bytes
  return createHash('sha256').update(bytes).digest().equals(before)
}

async function uploadService(deps: SyncDeps, { feed }: FeedFile): Promise<{ service: Service; upload: UploadAuthorization }> {
  const service = await findService(deps, deps.database, feed.instanceId, toServiceId(UPLOAD_KEY))
  const connector = await service?.source.load()
  if (!service || connector?.authorize.step !== 'upload') throw new Error('there is no service that takes files')
  return { service, upload: connector.authorize }
}

async function examine(
  upload: UploadAuthorization,
  name: string,
  bytes: Uint8Array,
): Promise<{ grant: Grant; bytes: Uint8Array } | { refusal: LocalizedText }> {
  try {
    return { grant: await upload.examine({ id: randomUUID(), name, bytes }), bytes }
  } catch (error) {
    if (error instanceof InputRefused) return { refusal: error.text }
    throw error
  }
}

/** The same bytes a second time are known by their content and change nothing. */
async function importFile(
  deps: SyncDeps,
  db: Db,
  { feed, companyId, file, mark }: FeedFile,
  service: Service,
  { grant, bytes }: { grant: Grant; bytes: Uint8Array },
): Promise<void> {
  const { instanceId } = feed
  const connection = await livingConnection(deps, db, { instanceId, companyId, feedName: feed.name }, service, grant)
  const id = randomUUID()
  const contentHash = createHash('sha256').update(bytes).digest()
  const sealed = deps.sealer.seal({ instanceId, table: 'source_files', rowId: id, column: 'sealed' }, bytes)
  const name = shownName(file.name)
  const isNew = await storeFile(db, { instanceId, id, connectionId: connection.id, name, contentHash, sealed })
  if (isNew) {
    await enqueueJob(db, {
      instanceId,
      kind: 'sync',
      key: `connection/${connection.id}`,
      provider: connection.connectorKey,
      payload: { connectionId: connection.id, reason: 'file', isAwaited: true },
    })
  }
  const state = isNew ? 'imported' : 'duplicate'
  await settleFile(db, feed, mark, { id: randomUUID(), name, companyId, connectionId: connection.id, state, reason: null, contentHash })
}

/** The company's own connection for files, locked; made where it has none, for its operator has said where its files come from. */
async function livingConnection(
  deps: SyncDeps,
  db: Db,
  { instanceId, companyId, feedName }: { instanceId: string; companyId: string; feedName: string },
  service: Service,
  grant: Grant,
): Promise<Connection> {
  // Takes the lock that lets nobody else begin one here.
  await findProvisional(db, instanceId, companyId, service.id)
  const known = await findLivingConnection(db, instanceId, companyId, service.id)
  const id = known?.id ?? randomUUID()
  if (!known) {
    const { description } = service.source
    await createConnection(db, {
      ...{ instanceId, id, companyId, serviceId: service.id, connectorKey: description.key, category: description.category },
      ...{ email: '', status: Status.Authorization, refreshHours: description.refreshHours },
    })
  }
  const connection = await lockConnection(db, instanceId, id)
  if (!connection) throw new Error('the connection was ended meanwhile')
  if (known) return connection
  await writeGrant(db, connection, {
    serviceId: service.id,
    entityId: grant.entity.id,
    entityName: grant.entity.name,
    reference: null,
    email: null,
    credentials: sealCredentials(deps, connection, connection.credentialsGeneration + 1, grant.credentials),
    credentialsExpireAt: null,
    credentialsRefreshAt: refreshAtOf(deps.now(), null),
    sourceKeysId: null,
  })
  connection.credentialsGeneration += 1
  await moveStatus(db, connection, Status.Authorized, tell('byFeed', `by the feed "${feedName}"`, { name: feedName }))
  return connection
}

/** The connection's timeline and its subscribers hear of it; what was published stays as it is. */
async function refuseFile(
  deps: SyncDeps,
  db: Db,
  { feed, companyId, file, mark }: FeedFile,
  service: Service,
  { refusal, bytes }: { refusal: LocalizedText; bytes: Uint8Array | null },
): Promise<void> {
  const { instanceId } = feed
  const living = await findLivingConnection(db, instanceId, companyId, service.id)
  const connection = living && (await lockConnection(db, instanceId, living.id))
  const id = randomUUID()
  const name = shownName(file.name)
  const contentHash = bytes && createHash('sha256').update(bytes).digest()
  const connectionId = connection?.id ?? null
  await settleFile(db, feed, mark, { id, name, companyId, connectionId, state: 'quarantined', reason: refusal.en, contentHash })
  deps.log.warn({ feedId: feed.id, fileId: id }, 'a statement file was refused and is in quarantine')
  if (!connection) return
  await writeStatus(
    db,
    connection,
    connection.status,
    tell('fileRefused', `Error: the file "${name}" was refused: ${refusal.en}`, { name, en: refusal.en, fr: refusal['fr-CA'] }),
  )
  await raiseEvent(db, 'Error', connection, service.name, `file/${id}`, { code: 'FileRefused', message: 'A statement file was refused' })
}
