import type { Outcome } from '../../jobs/worker.ts'
import type { Locale } from '../../model/values/text.ts'
import { placeReplicatedChanges } from '../../store/changes/replications.ts'
import { type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import { type LeftBehind, listLeftBehind } from '../../store/exports/unreached.ts'
import { enqueueJob, type Job } from '../../store/jobs/jobs.ts'
import type { KeyRing } from '../../store/keys/key-ring.ts'
import type { SigningKey } from '../../store/keys/keys.ts'
import { lockReceiptsOfConnection, type Receipt, replaceSigned } from '../../store/owners/receipts.ts'
import type { Store } from '../context/groups.ts'
import { BEING_DELETED, DELETED, leftBehindLines } from '../exports/left-behind.ts'

export const COMPLETE_RECEIPTS = 'completeReceipts'
const WAIT_MS = 60_000
/** As for an instance that is erased: then the receipt says what was not reached. */
const MAX_WAIT_MS = 25 * 3_600_000

/** What a receipt states about destinations of exports. */
export interface DestinationsStated {
  state: 'being-deleted' | 'ended'
  /** Where something may be left, without addresses; empty until that is known. */
  left: { name: string; kind: string; files: number; rows: boolean; reason: string | null }[]
}

/** Parts of a receipt that change when the destinations are done with. */
interface Stated {
  destinations?: DestinationsStated
  statement: Record<Locale, string[]>
}

interface ErasedConnection {
  instanceId: string
  companyId: string
  serviceId: string
  connectionId: string
}

/** Whether exported data of the connection is anywhere that has to be emptied; in the transaction that ends it. */
export async function isExported(db: Db, { instanceId, companyId, serviceId }: ErasedConnection): Promise<boolean> {
  return (await listLeftBehind(db, instanceId, { companyId, serviceId, databases: 'all' })).length > 0
}

/** Queues the completion of the connection's receipts, in the transaction that issues one. */
export async function queueCompletion(db: Db, { instanceId, ...payload }: ErasedConnection): Promise<void> {
  const since = (await databaseTime(db)).toISOString()
  const key = `${COMPLETE_RECEIPTS}/${payload.connectionId}`
  await enqueueJob(db, { instanceId, kind: COMPLETE_RECEIPTS, key, payload: { ...payload, since } })
}

/**
 * Completes receipts once exported data is deleted at all destinations, or given up after a day: they are signed again
 * with the outcome. Calls no destination itself.
 */
export async function completeReceipts({ database, signing }: Store & { signing: KeyRing<SigningKey> }, job: Job): Promise<Outcome> {
  const { instanceId, payload } = job
  const [companyId, serviceId, connectionId] = [String(payload.companyId), String(payload.serviceId), String(payload.connectionId)]
  await placeReplicatedChanges(database, instanceId)
  const left = await listLeftBehind(database, instanceId, { companyId, serviceId, databases: 'behind' })
  const waitedMs = (await databaseTime(database)).getTime() - new Date(String(payload.since)).getTime()
  if (left.some(({ isPending }) => isPending) && waitedMs < MAX_WAIT_MS)
    return { done: false, inMs: WAIT_MS, isFailure: false, reason: 'exported data is being deleted at destinations' }
  await inTransaction(database, async (db) => {
    for (const receipt of await lockReceiptsOfConnection(db, instanceId, connectionId))
      if (readStated(receipt).destinations?.state === 'being-deleted')
        await replaceSigned(db, receipt, await signAgain(signing.newest, receipt, left))
  })
  return { done: true }
}

/** NOTE the receipt is our own, as it was signed and stored here. */
function readStated({ signed }: Receipt): Stated {
  return JSON.parse(Buffer.from(signed.split('.')[1] ?? '', 'base64url').toString('utf8')) as Stated
}

async function signAgain({ id, privateKey }: SigningKey, receipt: Receipt, left: readonly LeftBehind[]): Promise<string> {
  const { CompactSign, decodeProtectedHeader } = await import('jose')
  const stated = readStated(receipt)
  const lines = leftBehindLines(left.map(({ name, kind }) => ({ name, kind })))
  const complete = (locale: Locale) =>
    stated.statement[locale].flatMap((line) => {
      if (line !== BEING_DELETED[locale]) return [line]
      return left.length === 0 ? [DELETED[locale]] : lines[locale]
    })
  const document: Stated = {
    ...stated,
    destinations: { state: 'ended', left: left.map(({ place: _place, isPending: _isPending, ...shown }) => shown) },
    statement: { en: complete('en'), 'fr-CA': complete('fr-CA') },
  }
  const { alg = 'EdDSA', typ } = decodeProtectedHeader(receipt.signed)
  return await new CompactSign(Buffer.from(JSON.stringify(document)))
    .setProtectedHeader({ alg, ...(typ === undefined ? {} : { typ }), kid: id })
    .sign(privateKey)
}
