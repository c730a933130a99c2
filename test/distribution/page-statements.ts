import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/store/db/database.ts'
import { countStoredBytes } from '../../src/store/operators/stored-bytes.ts'
import { listPageWindow, moveToDatabase, moveToObject, readPageObjects } from '../../src/store/records/page-objects.ts'
import { findRawPage, findSamePage, type RawPage, storeRawPage } from '../../src/store/records/raw-pages.ts'
import { keepNeeded } from '../../src/store/retention/expired-spans.ts'
import { listConnectionsWithOldPages } from '../../src/store/retention/old-pages.ts'
import { findNextFile, storeFile } from '../../src/store/sources/source-files.ts'
import type { Published, Statements } from './record-statements.ts'

const AT = new Date('2026-01-01T00:00:00Z')
const LIMIT = 10

/** Statements on raw pages and uploaded files. */
export function pageStatements(of: Published, undone: (work: (db: Db) => Promise<unknown>) => Statements[string]): Statements {
  const { instanceId, companyId, connectionId } = of
  const owner = { instanceId, companyId, id: connectionId }
  const key = { instanceId, companyId, connectionId, id: randomUUID() }
  const place = { pull: 'accounts', page: 0, fetchedAt: AT, contentHash: Buffer.alloc(32) }
  const page: RawPage & { companyId: string } = { ...key, ...place, sealed: Buffer.alloc(99), object: null }
  const object = { id: randomUUID(), bytes: 1 }
  return {
    'a raw page': undone(async (db) => {
      await storeRawPage(db, { ...page, span: null })
      await findSamePage(db, page)
      await findRawPage(db, key)
    }),
    'a raw page that is moved': undone(async (db) => {
      await moveToObject(db, key, object)
      await moveToDatabase(db, key, object, Buffer.alloc(1))
    }),
    'pages to move': (database) => listPageWindow(database, false, null, LIMIT),
    'pages in storage': (database) => readPageObjects(database, LIMIT),
    'connections with old pages': (database) => listConnectionsWithOldPages(database, AT, LIMIT),
    'pages of a partition that records came from': undone(async (db) => {
      // There are none before the first housekeeping.
      const { rows } = await db.query<{ span: string | null }>(`select to_char(min(begins), 'YYYYMMDD') as span from page_spans`)
      if (rows[0]?.span) await keepNeeded(db, rows[0].span, { instanceId, connectionId })
    }),
    'a file': undone(async (db) => {
      await storeFile(db, owner, { id: randomUUID(), name: 'a.ofx', contentHash: Buffer.alloc(32), sealed: Buffer.alloc(1) })
      await findNextFile(db, owner, randomUUID())
    }),
    'stored bytes that were never counted': (database) => countStoredBytes(database),
  }
}
