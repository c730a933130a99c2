import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { createInstance } from '../../src/store/access/instances.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { listStoredDocuments } from '../../src/store/owners/owner-connections.ts'
import { readPinnedPiece } from '../../src/store/records/pinned-lists.ts'
import { readPinnedRecords } from '../../src/store/records/pinned-records.ts'
import { listUndeletedIds } from '../../src/store/records/records.ts'
import { pagesRead } from '../harness/app/pages-read.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const RECORDS = 50_000
const LIMIT = 100
/** One page of the table for each record of the piece, and those of the index; all records lie on several thousand. */
const FEW_PAGES = 2 * LIMIT
const scope = { instanceId: randomUUID(), companyId: randomUUID(), serviceId: randomUUID() }
const connectionId = randomUUID()
const test = databaseForTests()

beforeAll(async () => {
  await createInstance(test.database, { id: scope.instanceId, name: 'Test Lender' })
  await addCompany(test.database, scope.instanceId, { id: scope.companyId })
  await inTransaction(test.database, async (db) => {
    await db.query('set local statement_timeout = 0')
    await db.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash,
         sort_key, run_id, raw_index, mapping_version, deleted)
       select $1, $2, $3, 'Accounts', gen_random_uuid(), '-infinity', n::text, $4, repeat('x', 800), '', n::text, $4, 0, 1, n % 50 = 0
       from generate_series(1, ${RECORDS}) n`,
      [scope.instanceId, scope.companyId, scope.serviceId, connectionId],
    )
  })
  await test.database.query('analyze record_versions')
}, 120_000)

const after = '80000000-0000-4000-8000-000000000000'
const at = '2026-11-01T00:00:00Z'
const pin = { shownAt: at, keptFrom: at, firstPublishedAt: null, accounts: RECORDS, transactions: 0 }
const selection = {
  entity: 'Accounts' as const,
  filter: [],
  columns: {},
  view: { includeDeleted: false },
  limit: LIMIT,
}

/** Pieces of a record set by id, from its middle on. */
const PIECES: Record<string, (db: Database) => Promise<unknown>> = {
  'a piece of an export': (db) => readPinnedRecords(db, scope, { entity: 'Accounts', publishedAt: at, after, limit: LIMIT }),
  'a piece of a streamed list': (db) => readPinnedPiece(db, scope, pin, selection, after, () => null),
  'ids of a connection': (db) => listUndeletedIds(db, scope, 'Accounts', connectionId, after, LIMIT),
  'documents of a connection': (db) => listStoredDocuments(db, { ...scope, connectionId }, 'Accounts', after, LIMIT),
}

for (const [name, ask] of Object.entries(PIECES)) {
  it(`${name}: reads its ${LIMIT} records and not the other ${RECORDS}`, async () => {
    const pages = await pagesRead(test.database, ask)
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.filter(({ count }) => count > FEW_PAGES)).toEqual([])
  })
}
