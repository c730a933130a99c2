import { randomUUID } from 'node:crypto'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import { listChangedRecords, listPublishedRecords } from '../../src/store/changes/changed-records.ts'
import { placeChanges } from '../../src/store/changes/place-changes.ts'
import { eraseConnectionData } from '../../src/store/connections/erasure.ts'
import { type Database, type Db, inTransaction } from '../../src/store/db/database.ts'
import { fillRows } from '../../src/store/db/row-companies/fill-rows.ts'
import { insertExport } from '../../src/store/exports/exports.ts'
import { openInstanceSnapshot } from '../../src/store/operators/instance-export.ts'
import { deleteInstanceRows, deleteRecordsOfConnections } from '../../src/store/operators/instance-rows.ts'
import { countStored, listFirstAccounts, listStoredDocuments } from '../../src/store/owners/owner-connections.ts'
import { countAccountChanges, countTransactionChanges, listAccountChanges } from '../../src/store/records/account-changes.ts'
import { listBankAccountsOfCompany, listNewestMovements } from '../../src/store/records/company-accounts.ts'
import { countCoverage, countCoverageChange, countTouched } from '../../src/store/records/coverage.ts'
import { deleteFirstRecords, deleteRecordSets, writeFirstRecords } from '../../src/store/records/first-records.ts'
import { pinList, readPinnedPiece } from '../../src/store/records/pinned-lists.ts'
import { readPinnedRecords } from '../../src/store/records/pinned-records.ts'
import { isAnnounced } from '../../src/store/records/publication-changes.ts'
import { toPublicationKey } from '../../src/store/records/publication-key.ts'
import {
  closePublication,
  findPublication,
  findVersions,
  listPublicationsOfCompany,
  raisePublication,
} from '../../src/store/records/publications.ts'
import { aliasMovements, listFreshWindows, stageStaleMovements } from '../../src/store/records/record-aliases.ts'
import { recordColumns } from '../../src/store/records/record-columns.ts'
import { findRecordVersion } from '../../src/store/records/record-history.ts'
import { NATURAL_ORDER, type RecordView, readRecordPage } from '../../src/store/records/record-pages.ts'
import {
  eraseRecords,
  listCurrentAccounts,
  listCurrentHashes,
  listUndeletedIds,
  publishDeletions,
} from '../../src/store/records/records.ts'
import { countWithoutPage, listPagesToReplay, listReplayTargets } from '../../src/store/records/replay-records.ts'
import { publishStaged } from '../../src/store/records/staged-publishing.ts'
import { listNewAccounts, type StagedRecord, stageEnded, stageRecords, toColumns } from '../../src/store/records/staged-records.ts'
import { deleteOldPages } from '../../src/store/retention/old-pages.ts'
import { deleteOldRuns } from '../../src/store/retention/old-runs.ts'
import { indexAccounts, indexNext } from '../../src/store/search/account-words.ts'
import { findAccounts } from '../../src/store/search/find-accounts.ts'
import { fillFirstPublications, fillNotes } from '../../src/store/snapshot/cluster-columns.ts'
import { listShownEvents } from '../../src/store/webhooks/events-of-runs.ts'
import { removeExpired } from './expired.ts'
import { pageStatements } from './page-statements.ts'
import { runStatements } from './run-statements.ts'

/** A connection that has published records. */
export interface Published {
  instanceId: string
  companyId: string
  serviceId: string
  connectionId: string
  /** An account. */
  id: string
  /** The run that wrote it. */
  runId: string
}

export type Statements = Record<string, (database: Database) => Promise<unknown>>

/** Every function of the store whose statements use a distributed table, by what it is for. Changes are rolled back. */
export function recordStatements(of: Published): Statements {
  return { ...reads(of), ...changes(of), ...maintenance(of), ...feeds(of), ...runStatements(of, undone), ...pageStatements(of, undone) }
}

const AT = new Date('2026-01-01T00:00:00Z')
const LIMIT = 10

function reads(of: Published): Statements {
  const { instanceId, companyId, id, connectionId } = of
  const entity = 'Accounts' as const
  const key = { ...of, category: 'Banking' as const, entity }
  const columns = recordColumns('Banking', entity)
  const pin = { shownAt: AT.toISOString(), keptFrom: AT.toISOString(), firstPublishedAt: null, accounts: 1, transactions: 0 }
  const page =
    (view: RecordView, orderBy = NATURAL_ORDER) =>
    (database: Database) =>
      readRecordPage(database, of, entity, { filter: [], orderBy, descending: false, limit: LIMIT, offset: 0 }, view, columns, () => null)
  return {
    'a page': page({}),
    'a page in another order': page({}, 'accountName'),
    'a page as of a day': page({ asOf: AT }),
    'a page of what changed': page({ modifiedSince: AT, includeDeleted: true }),
    'a whole list': (database) =>
      readPinnedPiece(database, of, pin, { entity, filter: [], columns, view: { modifiedSince: AT }, limit: LIMIT }, FIRST_ID, () => null),
    'a piece of an export': (database) =>
      readPinnedRecords(database, of, { entity, publishedAt: AT.toISOString(), after: FIRST_ID, limit: LIMIT }),
    'a record with its origin': (database) => findRecordVersion(database, of, { entity, ids: [id], asOf: null }),
    'a record with its origin as of a day': (database) => findRecordVersion(database, of, { entity, ids: [id], asOf: AT }),
    'a pinned list': (database) => pinList(database, of, AT),
    'what readers see': (database) => findPublication(database, of),
    'versions of publications': (database) => findVersions(database, [toPublicationKey(of)]),
    'accounts of a company': (database) => listBankAccountsOfCompany(database, { instanceId, companyId }, null),
    'accounts of a company as of a day': (database) => listBankAccountsOfCompany(database, { instanceId, companyId }, AT),
    'newest transactions': (database) => listNewestMovements(database, of, LIMIT),
    'what an owner sees': (database) => countStored(database, instanceId, connectionId),
    'accounts that an owner sees': (database) => listFirstAccounts(database, of, [{ id: connectionId, serviceId: of.serviceId }], LIMIT),
    'publications that an owner sees': (database) => listPublicationsOfCompany(database, of, [of.serviceId]),
    'the file of an owner': (database) => listStoredDocuments(database, of, entity, FIRST_ID, LIMIT),
    coverage: (database) => countCoverage(database, key, AT, null, LIMIT),
    'records touched since': (database) => countTouched(database, key, AT, AT, LIMIT),
    'change of coverage': (database) => countCoverageChange(database, key, AT, AT),
  }
}

function changes(of: Published): Statements {
  const { instanceId, companyId, id, connectionId } = of
  const entity = 'Accounts' as const
  const run = { id: of.runId, connectionId }
  const staged = (runId: string, doc: string | null) => (db: Db) => {
    const record: StagedRecord = { origId: 'a', id, doc, contentHash: Buffer.alloc(16), sourceVersion: null, sortKey: '', rawIndex: 0 }
    return stageRecords(
      db,
      { instanceId, companyId, runId, seq: 0, entity, rawPageId: randomUUID(), mappingVersion: 1 },
      toColumns([record]),
    )
  }
  return {
    'hashes of a page': (database) => listCurrentHashes(database, of, entity, [id], connectionId),
    'ids that a listing lacks': (database) => listUndeletedIds(database, of, entity, connectionId, FIRST_ID, LIMIT),
    'present accounts': (database) => listCurrentAccounts(database, of),
    'new accounts': (database) => listNewAccounts(database, of, run.id),
    'records of a first sync': undone((db) => writeFirst(db, of, FIRST_ID)),
    'records of a first sync twice': undone(async (db) => {
      await writeFirst(db, of, FIRST_ID)
      await writeFirst(db, of, FIRST_ID)
    }),
    'records of a first sync removed': undone((db) => deleteFirstRecords(db, of, entity, [id])),
    'record sets of a first sync emptied': undone((db) => deleteRecordSets(db, of)),
    'a publication of changes': undone(async (db) => {
      await staged(run.id, '{}')(db)
      await publishStaged(db, of, run, AT)
    }),
    'a publication of removals': undone(async (db) => {
      await staged(run.id, null)(db)
      await publishStaged(db, of, run, AT)
    }),
    'a publication of deletions': undone((db) => publishDeletions(db, of, run, entity, [id], AT)),
    'the version of a publication': undone((db) => raisePublication(db, of, { at: AT, isFirst: false }, 0)),
    'a publication that closes': undone((db) => closePublication(db, of, 0)),
    'an announced change': undone((db) => isAnnounced(db, of, 1)),
    'what an event says': (database) => countAccountChanges(database, of, AT),
    'what an event says of transactions': (database) => countTransactionChanges(database, of, AT),
    'accounts before and after': async (database) => {
      for await (const _change of listAccountChanges(database, of, AT));
    },
    'removal of accounts that were replaced': undone((db) => stageEnded(db, of, run.id, { accounts: [id], movementsOf: ['a'] })),
    'windows of renamed accounts': undone((db) => listFreshWindows(db, of, run.id)),
    'transactions of renamed accounts': undone((db) => aliasMovements(db, of, run.id)),
    'transactions that renamed accounts no longer list': undone((db) =>
      stageStaleMovements(db, of, run.id, [{ account: 'a', from: null }]),
    ),
  }
}

function maintenance(of: Published): Statements {
  const { instanceId, connectionId, id } = of
  return {
    'pages to replay': (database) => listPagesToReplay(database, instanceId, connectionId),
    'records of a page that is replayed': (database) => listReplayTargets(database, of, 'Accounts', [id]),
    'records without their page': (database) => countWithoutPage(database, instanceId, connectionId),
    'old pages': undone((db) => deleteOldPages(db, instanceId, connectionId, new Date('2099-01-01T00:00:00Z'))),
    'old runs': undone((db) => deleteOldRuns(db, instanceId, connectionId, new Date('2099-01-01T00:00:00Z'))),
    'erasure in steps': undone((db) => eraseRecords(db, instanceId, connectionId, 1)),
    'erasure of a connection': undone((db) => eraseConnectionData(db, instanceId, connectionId)),
    'rows without their company': undone(async (db) => {
      await db.query('delete from filled_rows')
      await fillRows(db)
    }),
    'columns of a restored cluster': undone(async (db) => {
      if (db.isDistributed !== true) return
      await fillFirstPublications(db, (work) => work())
      await fillNotes(db, (work) => work())
    }),
    'rows of an instance': undone(async (db) => {
      for (const name of ['raw_pages', 'source_files']) await deleteInstanceRows(db, { name, key: [] }, instanceId, LIMIT)
    }),
    'records of an instance': async (database) => {
      const snapshot = await openInstanceSnapshot(database, instanceId)
      for (const table of snapshot.tables)
        if (table.name === 'record_versions') for await (const { row } of snapshot.listRows(table, [])) void row
      snapshot.close()
    },
    'records of the connections of an instance': undone((db) => deleteRecordsOfConnections(db, instanceId, LIMIT, null)),
    'old versions': (database) => removeExpired(database, 'versions'),
  }
}

function feeds(of: Published): Statements {
  const { instanceId, id } = of
  const anywhere = { companyId: null, entity: null }
  const last = { companyId: 'ffffffff-ffff-ffff-ffff-ffffffffffff', serviceId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  return {
    'changed records': (database) => listChangedRecords(database, instanceId, { first: '0', last: '9', mark: null }, anywhere, LIMIT),
    'changes that are placed': (database) => placeChanges(database, instanceId),
    'events whose data is shown': (database) => listShownEvents(database, instanceId),
    'an export that begins': undone((db) =>
      insertExport(db, {
        ...{ instanceId, id: randomUUID(), companyId: null, category: 'Banking', entity: 'Accounts', format: 'ndjson', requestedBy: 'a' },
      }),
    ),
    'words of accounts': undone((db) => indexAccounts(db, of)),
    'words of earlier publications': undone((db) => indexNext(db)),
    'accounts by words': undone(async (db) => {
      await indexAccounts(db, of)
      await findAccounts(db, instanceId, id, LIMIT)
    }),
    'published records': (database) => listPublishedRecords(database, instanceId, { last, mark: null }, anywhere, LIMIT),
  }
}

/** Writes one account as a first sync does. */
export async function writeFirst(db: Db, of: Published, id: string): Promise<void> {
  const record: StagedRecord = { origId: 'b', id, doc: '{}', contentHash: Buffer.alloc(16), sourceVersion: null, sortKey: '', rawIndex: 0 }
  const share = { ...of, entity: 'Accounts' as const, rawPageId: randomUUID(), mappingVersion: 1 }
  await writeFirstRecords(db, share, toColumns([record]))
}

class Undone extends Error {}

/** Runs changes in a transaction and takes them back. */
function undone(work: (db: Db) => Promise<unknown>): (database: Database) => Promise<void> {
  return async (database) => {
    const isUndone = await inTransaction(database, async (db) => {
      await work(db)
      throw new Undone()
    }).catch((error: unknown) => error instanceof Undone || Promise.reject(error))
    if (!isUndone) throw new Error('the changes stayed')
  }
}
