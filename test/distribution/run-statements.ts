import { randomUUID } from 'node:crypto'
import { closeUsageDays, readUsage } from '../../src/store/access/usage.ts'
import { findRun, listRuns, readHistory, readRuns } from '../../src/store/connections/connection-history.ts'
import { hasRun } from '../../src/store/connections/requested-runs.ts'
import { listSeen, replaceSeen } from '../../src/store/connections/run-pages.ts'
import {
  abandonReplay,
  abandonRuns,
  closeRun,
  lockRun,
  lockRunningRun,
  openRun,
  type SyncRun,
  saveProgress,
} from '../../src/store/connections/sync-runs.ts'
import { type Database, type Db, inTransaction } from '../../src/store/db/database.ts'
import { countReadSoFar } from '../../src/store/owners/owner-connections.ts'
import { listCoverage, saveCoverage } from '../../src/store/records/coverage.ts'
import { findQualityRuns } from '../../src/store/records/quality.ts'
import { listQuarantined, quarantineRecords, readQuarantinePage, releaseQuarantine } from '../../src/store/records/quarantine.ts'
import { findAliases, insertAliases, listAccountAliases } from '../../src/store/records/record-aliases.ts'
import { listQuarantinedOfPage, releaseReplayed } from '../../src/store/records/replay-records.ts'
import { countStaged, dropStaged, listStagedPages, unstageRecords } from '../../src/store/records/staged-records.ts'
import { listConnectionsWithOldRuns } from '../../src/store/retention/old-runs.ts'
import { removeExpired } from './expired.ts'
import type { Published, Statements } from './record-statements.ts'

const AT = new Date('2026-01-01T00:00:00Z')
const LIMIT = 10
const COUNTS = { pages: 0, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0, reidentified: 0, unclear: 0 }
const ENTITY = 'Accounts' as const

/** Statements on runs, what they stage and set aside, and what is kept beside records. */
export function runStatements(of: Published, undone: (work: (db: Db) => Promise<unknown>) => Statements[string]): Statements {
  const { instanceId, companyId, serviceId, connectionId, id } = of
  const owner = { instanceId, companyId, id: connectionId }
  const onRun = (work: (db: Db, run: SyncRun) => Promise<unknown>) => undone(async (db) => await work(db, await open(db, of)))
  return {
    'a run that begins': undone((db) => open(db, of)),
    'a run that is resumed': onRun((db) => open(db, of)),
    'progress of a run': onRun(async (db, run) => {
      await lockRun(db, run)
      await saveProgress(db, run, { pull: 0, page: 0, seen: Buffer.alloc(8) })
    }),
    'a run that ends': onRun((db, run) => closeRun(db, run, { state: 'unchanged' })),
    'a run that is abandoned': onRun((db) => abandonRuns(db, owner)),
    'a replay that is abandoned': onRun((db) => abandonReplay(db, owner)),
    'what a run saw': onRun(async (db, run) => {
      await replaceSeen(db, run, 0, 0, Buffer.alloc(8))
      await listSeen(db, run)
    }),
    'what a run has staged': onRun(async (db, run) => {
      await countStaged(db, run)
      await listStagedPages(db, run)
      await unstageRecords(db, run, ENTITY, [{ id, sourceVersion: null }])
      await dropStaged(db, run, ENTITY, [id])
    }),
    'what a run sets aside': onRun(async (db, run) => {
      await quarantineRecords(db, run, [{ entity: ENTITY, origId: 'a', reason: '', rawPageId: null, rawIndex: 0 }])
      await releaseQuarantine(db, run, [ENTITY])
      await releaseReplayed(db, run)
    }),
    'what is set aside': async (database) => {
      await listQuarantined(database, owner)
      await listQuarantinedOfPage(database, owner, randomUUID())
      await readQuarantinePage(database, owner, { limit: LIMIT, offset: 0 })
    },
    'runs of a connection': async (database) => {
      await inTransaction(database, async (db) => await lockRunningRun(db, owner))
      await listRuns(database, owner, LIMIT)
      await findQualityRuns(database, owner)
      await countReadSoFar(database, owner)
      await hasRun(database, { ...owner, id: randomUUID() })
      await readRuns(database, owner, { filter: [], limit: LIMIT, offset: 0, descending: true })
      await findRun(database, { instanceId, companyId, serviceId, id: randomUUID() })
    },
    'history of a company': (database) =>
      readHistory(
        database,
        { instanceId, companyId, serviceId, linkServiceIds: [serviceId] },
        { filter: [], limit: LIMIT, offset: 0, descending: true },
      ),
    'coverage as it was counted': undone(async (db) => {
      await saveCoverage(db, { ...of, category: 'Banking', entity: ENTITY }, { countedUntil: AT, total: 1, filled: {} })
      await listCoverage(db, of)
    }),
    aliases: undone(async (db) => {
      await insertAliases(db, of, ENTITY, [{ origId: 'b', id, keptOrigId: 'a' }])
      await listAccountAliases(db, of)
      await findAliases(db, of, ENTITY, ['b'])
    }),
    'days of usage': async (database: Database) => {
      await closeUsageDays(database)
      await readUsage(database, instanceId, 1)
    },
    'connections with old runs': (database) => listConnectionsWithOldRuns(database, AT, LIMIT),
    'old files': (database) => removeExpired(database, 'sourceFiles'),
  }
}

async function open(db: Db, { instanceId, companyId, connectionId }: Published): Promise<SyncRun> {
  return await openRun(db, { instanceId, companyId, connectionId, id: randomUUID(), reason: 'replay', isAwaited: false, counts: COUNTS })
}
