import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import { InputRefused, type UploadAuthorization } from '../../connectors/contract/authorization.ts'
import type { Grant } from '../../connectors/contract/contract.ts'
import { hashLarge } from '../../model/steps/large-bytes.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { type Connection, writeStatus } from '../../store/connections/connections.ts'
import { rootLinkId } from '../../store/connections/links.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import type { Sealer } from '../../store/keys/sealing.ts'
import { admitToQuota } from '../../store/operators/quotas.ts'
import { storeFile } from '../../store/sources/source-files.ts'
import type { OpenLink } from '../links/link.ts'
import { checkFile, MalwareFound } from '../malware/check-file.ts'
import type { GrantContext } from './context.ts'
import { type FileNote, joinTexts, shownName, toFileNoteMessage } from './file-notes.ts'
import { acceptGrants, EntityMismatch, type Linked } from './grant.ts'

/** File uploaded by an owner. */
export interface UploadedFile {
  name: string
  /** Reads its bytes; called once. */
  open(): Promise<Uint8Array>
}

/** Thrown when no file is usable, with a note on each; nothing was stored. */
export class FilesRefused extends Error {
  readonly refusals: readonly { name: string; text: LocalizedText }[]

  constructor(refusals: readonly { name: string; text: LocalizedText }[]) {
    super(`${refusals.length} files cannot be used`)
    this.refusals = refusals
  }
}

/**
 * Imports the usable files; the timeline lists the others, and what was skipped in the imported ones. The same bytes
 * again are accepted and change nothing. Throws `FilesRefused` when none is usable, and `ScannerUnavailable` when one could
 * not be scanned: nothing is stored then.
 */
export async function submitFiles(
  deps: GrantContext,
  open: OpenLink,
  connectionId: string,
  files: readonly UploadedFile[],
): Promise<Linked[]> {
  const connector = await open.service.source.load()
  if (connector.authorize.step !== 'upload') throw new Error('this source has no upload step')
  const { grant, taken, notes, refusals } = await takeAll(deps, open, connector.authorize, files)
  if (!grant) throw new FilesRefused(refusals)
  const attach = async (db: Db, connection: Connection): Promise<void> => {
    const bytes = taken.reduce((sum, { sealed }) => sum + sealed.length, 0)
    await admitToQuota(db, open.link.instanceId, 'storedBytes', bytes)
    for (const file of taken) await storeFile(db, connection, file)
    for (const note of notes) await writeStatus(db, connection, connection.status, toFileNoteMessage(note, rootLinkId(open.link)))
  }
  return await acceptGrants(deps, open, connectionId, [grant], attach, 'file')
}

interface SealedFile {
  id: string
  name: string
  contentHash: Uint8Array
  sealed: Uint8Array
}

interface ExaminedFile {
  /** Null when no file is usable. */
  grant: Grant | null
  taken: SealedFile[]
  notes: FileNote[]
  refusals: { name: string; text: LocalizedText }[]
}

/** One file after the other, so that only one is in memory. */
async function takeAll(
  deps: GrantContext,
  open: OpenLink,
  authorize: UploadAuthorization,
  files: readonly UploadedFile[],
): Promise<ExaminedFile> {
  const examined: ExaminedFile = { grant: null, taken: [], notes: [], refusals: [] }
  for (const file of files) {
    const { name } = file
    try {
      const bytes = await file.open()
      await checkFile(deps, bytes)
      const { grant, leftOut } = await open.service.source.files.examine(authorize, bytes)
      examined.grant ??= grant
      if (examined.grant.entity.id !== grant.entity.id) throw new EntityMismatch(examined.grant.entity.name, grant.entity.name)
      examined.taken.push(await seal(deps.sealer, open.link.instanceId, name, bytes))
      if (leftOut.length > 0) examined.notes.push({ name: shownName(name), kind: 'inPart', text: joinTexts(leftOut) })
    } catch (error) {
      if (!(error instanceof InputRefused)) throw error
      if (error instanceof MalwareFound) await recordFinding(deps.database, open, error)
      examined.refusals.push({ name, text: error.text })
      examined.notes.push({ name: shownName(name), kind: 'refused', text: error.text })
    }
  }
  return examined
}

async function recordFinding(database: Database, { link }: OpenLink, { signature }: MalwareFound): Promise<void> {
  const change = { instanceId: link.instanceId, subject: `link/${link.id}`, details: { signature } }
  await inTransaction(database, (db) => recordChange(db, { ...change, action: 'file.malware-found' }))
}

async function seal(sealer: Sealer, instanceId: string, name: string, bytes: Uint8Array): Promise<SealedFile> {
  const id = randomUUID()
  const contentHash = await hashLarge(bytes)
  const sealed = await sealer.sealLarge({ instanceId, table: 'source_files', rowId: id, column: 'sealed' }, bytes)
  return { id, name: shownName(name), contentHash, sealed }
}
