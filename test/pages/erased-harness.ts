import type { Outcome } from '../../src/jobs/worker.ts'
import { deleteCompany } from '../../src/store/connections/companies.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { findErasure, type InstanceErasure } from '../../src/store/operators/erasures.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { queueDueErasures } from '../../src/sync/connection/erasure.ts'
import type { PageObjects } from '../../src/sync/context/groups.ts'
import { eraseInstance, requestErasure } from '../../src/sync/instances/erase.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { withdraw } from '../../src/sync/owner/owner-actions.ts'
import { removeUnclaimedObjects } from '../../src/sync/pages/remove-objects.ts'
import { erasureJob, runJob, takeJobs } from '../harness/app/jobs.ts'
import { SILENT } from '../harness/app/sync-deps.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { testKeys } from '../harness/keys.ts'
import { type CompanyActions, companyActions, openSyncHarness, type SyncHarness } from '../sync/harness.ts'
import { manyAccounts } from './many-accounts.ts'

/** Pages of each connection. */
export const PAGES = 3

/** A connection whose pages lie in the bucket. */
export interface Member extends CompanyActions {
  id: string
  instanceId: string
}

/** Lenders whose pages lie in one bucket, with all that erases them, as the product does it. */
export interface ErasedHarness {
  harness: SyncHarness
  /** `books` and `ledger` are of one company, `neighbour` of another one of its lender, `other` of another lender. */
  members: Record<'books' | 'ledger' | 'neighbour' | 'other', Member>
  /** Disconnects `books`, and deletes its data. */
  eraseConnection(): Promise<void>
  /** The owner withdraws the consent of `books`, and the seven days in which the data is kept end. */
  eraseWithdrawn(): Promise<void>
  /** Deletes the company of `books`, which is disconnected, and `ledger`, whose data is kept for its owner. */
  eraseCompany(): Promise<void>
  /** Requests the erasure of the lender of `books`, and revokes its accesses; returns the id. */
  requestErasure(): Promise<string>
  runErasure(id: string): Promise<Outcome>
  /** Runs the erasure of the lender of `books` until it waits for the storage. */
  eraseInstance(): Promise<void>
  erasure(id: string): Promise<InstanceErasure & { stated: { objectsLeft: number; statement: { en: string[] } } | null }>
  /** Removes objects, as housekeeping does. */
  tidy(): Promise<number>
  /** As two hours later. */
  tidyLater(): Promise<number>
  /** Objects that are to be removed, or that no page has claimed. */
  unclaimed(): Promise<number>
  close(): Promise<void>
}

export async function openErasedHarness(pageObjects: PageObjects): Promise<ErasedHarness> {
  const keys = await testKeys()
  const [books, ledger] = [manyAccounts('books'), manyAccounts('ledger')]
  const harness = await openSyncHarness([books, ledger], [], keys)
  const { deps, instanceId, companyId } = harness
  const { database } = deps
  Object.assign(deps, { readLeaseMs: 0, log: SILENT, pageObjects })
  const open = async (of: string, company: string, source = books): Promise<Member> => {
    const actions = companyActions(deps, of, company)
    const id = await actions.connect(source)
    await actions.sync(id, { reason: 'first' })
    return { ...actions, id, instanceId: of }
  }
  const otherId = await addInstance(database)
  const members = {
    books: await open(instanceId, companyId),
    ledger: await open(instanceId, companyId, ledger),
    neighbour: await open(instanceId, await addCompany(database, instanceId)),
    other: await open(otherId, await addCompany(database, otherId)),
  }
  const tidy = async () => await removeUnclaimedObjects({ ...deps, pageObjects }, () => false)
  const withdrawn = async ({ id }: Member) => {
    await withdraw(deps, { instanceId, companyId, connectionId: id }, async () => 'signed')
    await harness.erase(id)
  }
  const eraseConnection = async () => {
    await disconnect(deps, harness.scopeOf(books))
    await harness.erase(members.books.id)
  }
  const eraser: Pick<ErasedHarness, 'requestErasure' | 'runErasure'> = {
    requestErasure: async () => {
      const instance = { id: instanceId, name: 'Test Lender', kind: 'live' }
      const { id = '' } = (await inTransaction(database, (db) => requestErasure(db, instance))) ?? {}
      await eraser.runErasure(id)
      for (const job of await takeJobs(database, 'revoke')) await runJob(syncHandlers(deps).revoke, job)
      return id
    },
    runErasure: (id) => eraseInstance({ ...deps, signing: keys.signing, settleMs: 0 }, erasureJob(id), () => false),
  }
  return {
    ...eraser,
    harness,
    members,
    eraseConnection,
    eraseWithdrawn: async () => {
      await withdrawn(members.books)
      await database.query(`update connections set erase_at = erase_at - interval '7 days' where id = $1`, [members.books.id])
      await queueDueErasures(database)
      await harness.erase(members.books.id)
    },
    eraseCompany: async () => {
      await eraseConnection()
      await withdrawn(members.ledger)
      const outcome = await inTransaction(database, (db) => deleteCompany(db, instanceId, companyId))
      if (outcome !== 'deleted') throw new Error(`the company is ${outcome}`)
    },
    eraseInstance: async () => {
      await eraser.runErasure(await eraser.requestErasure())
    },
    erasure: async (id) => {
      const found = await findErasure(database, id)
      if (!found) throw new Error('no erasure')
      const stated = found.receipt && JSON.parse(Buffer.from(found.receipt.split('.')[1] ?? '', 'base64url').toString())
      return { ...found, stated }
    },
    tidy,
    tidyLater: async () => {
      await database.query(`update unclaimed_objects set due_at = due_at - interval '2 hours'`)
      return await tidy()
    },
    unclaimed: async () => (await database.query('select from unclaimed_objects')).rowCount ?? 0,
    close: harness.close,
  }
}
