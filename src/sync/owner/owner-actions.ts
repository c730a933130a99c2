import { randomUUID } from 'node:crypto'
import { recordChange } from '../../audit/record.ts'
import type { Sources } from '../../connectors/sources.ts'
import { Status } from '../../model/statuses.ts'
import { type Connection, lockConnection } from '../../store/connections/connections.ts'
import { type Consent, listConsentsOfConnection } from '../../store/connections/consents.ts'
import { type Database, type Db, databaseTime, inTransaction } from '../../store/db/database.ts'
import {
  countStored,
  findOwnedConnection,
  type OwnedConnection,
  type StoredCounts,
  writeEraseIn,
} from '../../store/owners/owner-connections.ts'
import { findReceiptOf, type Receipt, type ReceiptKind, saveReceipt } from '../../store/owners/receipts.ts'
import { type ConnectionTarget, changeConnection, endConnection, resume, suspend } from '../connection/connection-actions.ts'
import { queueErasure } from '../connection/erasure.ts'
import type { Catalogue, Publishing, Store } from '../context/groups.ts'
import { findService } from '../sources/catalogue.ts'
import { isExported, queueCompletion } from './complete-receipts.ts'
import type { OwnerContext } from './context.ts'
import { mailOwner } from './owner-mail.ts'

/** Days after a withdrawal in which the owner, and nobody else, can still download the data. */
export const WITHDRAWN_DATA_DAYS = 7

/** Key of a connection with the company whose owner decides about it. */
export interface OwnedConnectionKey {
  instanceId: string
  companyId: string
  connectionId: string
}

/** Facts stated in a receipt. */
export interface ReceiptFacts {
  id: string
  kind: ReceiptKind
  issuedAt: Date
  companyId: string
  instanceId: string
  connection: OwnedConnection
  serviceName: string
  /** The owner uploaded files: there is no source to name. */
  isFiles: boolean
  /** Consents that it ends. */
  consents: readonly Consent[]
  /** Data that it locks or deletes. */
  held: StoredCounts
  /** Exported data is being deleted at destinations: the receipt is completed with the outcome. */
  isExported: boolean
}

/** Signs the facts; called in the transaction that makes them true. */
export type SignReceipt = (facts: ReceiptFacts) => Promise<string>

/**
 * Suspends reading until the owner resumes it. Null when the connection no longer exists. Throws `ActionNotAllowed`.
 */
export async function pauseByOwner(deps: Store & Catalogue & Publishing, key: OwnedConnectionKey): Promise<Connection | null> {
  const target = await toTarget(deps.database, key)
  return target && (await suspend(deps, target, 'owner'))
}

export async function continueByOwner(deps: Store & Publishing, key: OwnedConnectionKey): Promise<Connection | null> {
  const target = await toTarget(deps.database, key)
  return target && (await resume(deps, target, 'owner'))
}

/**
 * Withdraws the consent at once, for good: data is locked for `WITHDRAWN_DATA_DAYS` and then deleted, and the access is
 * revoked at the source. Idempotent, with one receipt; null when the connection was ended by someone else.
 */
export async function withdraw(deps: OwnerContext, key: OwnedConnectionKey, sign: SignReceipt): Promise<Receipt | null> {
  await end(deps, key, 'withdrawal', sign)
  return await findReceiptOf(deps.database, key.instanceId, key.connectionId, 'withdrawal')
}

/** Withdraws, if not done yet, and deletes the data at once. One receipt; null when there was nothing to delete. */
export async function deleteByOwner(deps: OwnerContext, key: OwnedConnectionKey, sign: SignReceipt): Promise<Receipt | null> {
  if (!(await end(deps, key, 'deletion', sign))) await deleteLocked(deps.database, deps.sources, key, sign)
  return await findReceiptOf(deps.database, key.instanceId, key.connectionId, 'deletion')
}

async function end(deps: OwnerContext, key: OwnedConnectionKey, kind: ReceiptKind, sign: SignReceipt): Promise<boolean> {
  const target = await toTarget(deps.database, key)
  if (!target) return false
  let hasEnded = false
  await changeConnection(deps.database, deps, target, async (db, connection, readLeaseMs) => {
    hasEnded = connection.status !== Status.Disconnected
    if (!hasEnded) return
    const consents = (await listConsentsOfConnection(db, key.instanceId, key.connectionId)).filter(({ endedAt }) => endedAt === null)
    const keepDays = kind === 'withdrawal' ? WITHDRAWN_DATA_DAYS : 0
    const held = await countStored(db, key.instanceId, key.connectionId)
    await endConnection(db, deps, connection, { readLeaseMs, how: 'withdrawn', keepDays })
    const { id: reference, serviceName: service, issuedAt } = await issueReceipt(db, deps.sources, key, { kind, consents, held }, sign)
    // Immediate deletion includes the withdrawal.
    await mailOwner(db, deps, key, 'withdrawn', (names) => ({ ...names, service, withdrawnAt: issuedAt, reference }))
    await recordEnd(db, key, kind)
  })
  return hasEnded
}

/** Deletes data locked by an earlier withdrawal. */
async function deleteLocked(database: Database, sources: Sources, key: OwnedConnectionKey, sign: SignReceipt): Promise<void> {
  await inTransaction(database, async (db) => {
    const connection = await lockConnection(db, key.instanceId, key.connectionId)
    const owned = await findOwnedConnection(db, key)
    if (!connection || !owned?.eraseAt) return
    const held = await countStored(db, key.instanceId, key.connectionId)
    await writeEraseIn(db, connection, 0)
    await queueErasure(db, connection)
    await issueReceipt(db, sources, key, { kind: 'deletion', consents: [], held }, sign)
    await recordEnd(db, key, 'deletion')
  })
}

async function recordEnd(db: Db, { instanceId, companyId, connectionId }: OwnedConnectionKey, kind: ReceiptKind): Promise<void> {
  const action = kind === 'withdrawal' ? 'consent.withdrawn' : 'connection.data-deleted'
  await recordChange(db, { instanceId, action, subject: `connection/${connectionId}`, details: { companyId } })
}

async function issueReceipt(
  db: Db,
  sources: Sources,
  key: OwnedConnectionKey,
  what: Pick<ReceiptFacts, 'kind' | 'consents' | 'held'>,
  sign: SignReceipt,
): Promise<ReceiptFacts> {
  const connection = await findOwnedConnection(db, key)
  if (!connection) throw new Error('a connection that was just ended is gone')
  const service = await findService(db, sources, key.instanceId, connection.serviceId)
  const { instanceId, companyId } = key
  const erased = { instanceId, companyId, serviceId: connection.serviceId, connectionId: connection.id }
  const facts = {
    ...{ id: randomUUID(), issuedAt: await databaseTime(db), instanceId, companyId, isExported: await isExported(db, erased) },
    ...{ connection, serviceName: service?.name ?? '', isFiles: service?.source.description.link === 'upload', ...what },
  }
  const { id, issuedAt, kind, serviceName } = facts
  const signed = await sign(facts)
  await saveReceipt(db, { instanceId, id, companyId, connectionId: connection.id, kind, issuedAt, serviceName, signed })
  if (facts.isExported) await queueCompletion(db, erased)
  return facts
}

async function toTarget(db: Db, key: OwnedConnectionKey): Promise<ConnectionTarget | null> {
  const connection = await findOwnedConnection(db, key)
  if (!connection) return null
  const { instanceId, companyId, connectionId } = key
  return { instanceId, companyId, connectionId, serviceId: connection.serviceId }
}
