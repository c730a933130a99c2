import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import { type Examined, InputRefused, type UploadAuthorization } from '../../connectors/contract/authorization.ts'
import type { Grant } from '../../connectors/contract/contract.ts'
import type { Sources } from '../../connectors/sources.ts'
import type { FileThreads } from '../../connectors/toolkit/uploads/file-threads.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { Status } from '../../model/statuses.ts'
import { hashLarge } from '../../model/steps/large-bytes.ts'
import { statusMessage } from '../../model/texts/status-messages.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import {
  type Connection,
  createConnection,
  findActiveConnection,
  lockConnection,
  lockProvisional,
  writeGrant,
  writeStatus,
} from '../../store/connections/connections.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { type FileFeed, type FileMark, type SettledBefore, settleFile } from '../../store/sources/file-feeds.ts'
import { storeFile } from '../../store/sources/source-files.ts'
import { joinTexts, shownName, toFileNoteMessage } from '../authorize/file-notes.ts'
import { raiseEvent } from '../connection/events.ts'
import { queueSync } from '../connection/queue-sync.ts'
import { moveStatus } from '../connection/status.ts'
import type { Clock, FileScanning, Log, Vault } from '../context/groups.ts'
import { sealCredentials } from '../credentials/credentials.ts'
import { refreshAtOf } from '../credentials/credentials-refresh.ts'
import { checkFile, MalwareFound } from '../malware/check-file.ts'
import { findService, type Service } from '../sources/catalogue.ts'
import type { FileImportContext } from './context.ts'
import type { Inbox, InboxFile } from './file-feed-inbox.ts'
import { partlyImportedText, reasonText, tooLarge } from './file-feed-texts.ts'

/** Service for statement files. */
const UPLOAD_KEY = 'bank-files'

/** File that has stopped growing, with its company. */
export interface FeedFile {
  feed: FileFeed
  folder: string
  companyId: string
  file: InboxFile
  mark: FileMark
  /** Earlier outcome for a file of this name, size and time. */
  before: SettledBefore | null
}

/**
 * Imports one file: stores it and queues a sync, or records why it is refused; all in one transaction, after which it
 * is moved. `waits` when it changed in the meantime. Throws `ScannerUnavailable` for one that could not be scanned; it
 * stays where it is.
 */
export async function takeFile(deps: FileImportContext, inbox: Inbox, found: FeedFile, stays: boolean): Promise<'waits' | 'done'> {
  const { service, upload } = await uploadService(deps.database, deps.sources, found)
  const { files } = service.source
  const { folder, file } = found
  const bytes = file.size > upload.maxBytes ? null : await inbox.read(folder, file.name, upload.maxBytes)
  const now = await inbox.look(folder, file.name)
  if (now === null || now.size !== file.size || now.modifiedMs !== file.modifiedMs) return 'waits'
  const read =
    bytes === null || bytes.length > upload.maxBytes ? { refusal: tooLarge(upload.maxBytes) } : await examine(deps, files, upload, bytes)
  // After a kill before the move, only the move is missing.
  const contentHash = bytes && (await hashLarge(bytes))
  const isSettled = found.before !== null && isSame(found.before.contentHash, contentHash)
  const sealed = isSettled || 'refusal' in read ? null : await sealFile(deps.sealer, found, read.bytes)
  if (!isSettled) {
    await inTransaction(deps.database, async (db) => {
      if ('refusal' in read) await refuseFile(db, deps.log, found, service, { ...read, contentHash })
      else if (sealed && contentHash) await importFile(db, deps, found, service, { ...read, ...sealed, contentHash })
      await deps.crashPoint?.('before-feed-commit')
    })
    await deps.crashPoint?.('after-feed-commit-before-move')
  }
  if (stays) return 'done'
  if ('refusal' in read) {
    await inbox.write(folder, 'quarantine', `${file.name}.reason.txt`, reasonText(file.name, read.refusal, deps.now()))
  } else if (read.leftOut.length > 0) {
    await inbox.write(folder, 'archive', `${file.name}.reason.txt`, partlyImportedText(file.name, joinTexts(read.leftOut), deps.now()))
  }
  await inbox.move(folder, file.name, 'refusal' in read ? 'quarantine' : 'archive')
  return 'done'
}

interface Refused {
  refusal: LocalizedText
  /** What the malware scanner found, where it did. */
  signature?: string
}

function isSame(before: Uint8Array | null, now: Uint8Array | null): boolean {
  if (before === null || now === null) return before === now
  return Buffer.compare(before, now) === 0
}

/** Sealed before the transaction, so that the transaction does not wait for it. */
async function sealFile(sealer: Sealer, { feed }: FeedFile, bytes: Uint8Array): Promise<{ id: string; sealed: Uint8Array }> {
  const id = randomUUID()
  const context = { instanceId: feed.instanceId, table: 'source_files', rowId: id, column: 'sealed' }
  return { id, sealed: await sealer.sealLarge(context, bytes) }
}

async function uploadService(db: Db, sources: Sources, { feed }: FeedFile): Promise<{ service: Service; upload: UploadAuthorization }> {
  const service = await findService(db, sources, feed.instanceId, toServiceId(UPLOAD_KEY))
  const connector = await service?.source.load()
  if (!service || connector?.authorize.step !== 'upload') throw new Error('there is no service that takes files')
  return { service, upload: connector.authorize }
}

async function examine(
  deps: FileScanning,
  files: FileThreads,
  upload: UploadAuthorization,
  bytes: Uint8Array,
): Promise<(Examined & { bytes: Uint8Array }) | Refused> {
  try {
    await checkFile(deps, bytes)
    return { ...(await files.examine(upload, bytes)), bytes }
  } catch (error) {
    if (error instanceof MalwareFound) return { refusal: error.text, signature: error.signature }
    if (error instanceof InputRefused) return { refusal: error.text }
    throw error
  }
}

/** The same bytes again are recognized by their hash and change nothing. */
async function importFile(
  db: Db,
  deps: Vault & Clock,
  { feed, companyId, file, mark }: FeedFile,
  service: Service,
  { grant, leftOut, id, sealed, contentHash }: Examined & { id: string; sealed: Uint8Array; contentHash: Uint8Array },
): Promise<void> {
  const { instanceId } = feed
  const connection = await findOrCreateFeedConnection(db, deps, { instanceId, companyId, feedName: feed.name }, service, grant)
  const name = shownName(file.name)
  const isNew = await storeFile(db, connection, { id, name, contentHash, sealed })
  if (isNew) await queueSync(db, connection, 'feed', { isAwaited: true })
  const state = isNew ? 'imported' : 'duplicate'
  const note = leftOut.length === 0 ? null : joinTexts(leftOut)
  if (note && isNew) await writeStatus(db, connection, connection.status, toFileNoteMessage({ name, kind: 'inPart', text: note }))
  const reason = note?.en ?? null
  await settleFile(db, feed, mark, { id: randomUUID(), name, companyId, connectionId: connection.id, state, reason, contentHash })
}

/**
 * The company's own connection for files, locked; created on demand, since the operator has configured where its files
 * come from.
 */
async function findOrCreateFeedConnection(
  db: Db,
  deps: Vault & Clock,
  { instanceId, companyId, feedName }: { instanceId: string; companyId: string; feedName: string },
  service: Service,
  grant: Grant,
): Promise<Connection> {
  // Takes the lock that prevents a concurrent connection here.
  await lockProvisional(db, instanceId, companyId, service.id)
  const known = await findActiveConnection(db, instanceId, companyId, service.id)
  const id = known?.id ?? randomUUID()
  if (!known) {
    const { description } = service.source
    await createConnection(db, {
      ...{ instanceId, id, companyId, serviceId: service.id, connectorKey: description.key, category: description.category },
      ...{ email: '', status: Status.Authorization, refreshHours: description.refreshHours, applicationId: null },
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
    applicationId: null,
  })
  connection.credentialsGeneration += 1
  await moveStatus(db, connection, Status.Authorized, statusMessage('byFeed', `by the feed "${feedName}"`, { name: feedName }))
  return connection
}

/** Notifies the connection's timeline and subscribers; published data stays unchanged. */
async function refuseFile(
  db: Db,
  log: Log,
  { feed, companyId, file, mark }: FeedFile,
  service: Service,
  { refusal, signature, contentHash }: Refused & { contentHash: Uint8Array | null },
): Promise<void> {
  const { instanceId } = feed
  const active = await findActiveConnection(db, instanceId, companyId, service.id)
  const connection = active && (await lockConnection(db, instanceId, active.id))
  const id = randomUUID()
  const name = shownName(file.name)
  const connectionId = connection?.id ?? null
  await settleFile(db, feed, mark, { id, name, companyId, connectionId, state: 'quarantined', reason: refusal.en, contentHash })
  log.warn({ feedId: feed.id, fileId: id }, 'a statement file was refused and is in quarantine')
  if (connection) {
    await writeStatus(db, connection, connection.status, toFileNoteMessage({ name, kind: 'refused', text: refusal }))
    await raiseEvent(db, 'Error', connection, service.name, `file/${id}`, {
      ...{ code: 'FileRefused', message: 'A statement file was refused', issuedAs: 'Scheduled' },
    })
  }
  if (signature === undefined) return
  const details = { signature, fileId: id, companyId }
  await recordChange(db, { instanceId, action: 'file.malware-found', subject: `file-feed/${feed.id}`, details })
}
