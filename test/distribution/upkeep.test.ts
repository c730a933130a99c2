import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { addKey, type Keys, openKeys } from '../../src/store/keys/keys.ts'
import { reEncryptAll } from '../../src/store/keys/re-encrypt.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { countSealed } from '../../src/store/keys/sealing-key-counts.ts'
import { deleteInstance, deleteInstanceRows, listInstanceTables } from '../../src/store/operators/instance-rows.ts'
import { storeRawPage } from '../../src/store/records/raw-pages.ts'
import { applyRetention, type RetentionMonths } from '../../src/sync/connection/retention.ts'
import { type ClusterDatabase, citusNote, clusterDatabase, lacksCitus } from './cluster-database.ts'
import { addPublished } from './published.ts'
import type { Published } from './record-statements.ts'

const LONG_AGO = new Date('2020-01-01T00:00:00Z')
const COMPANIES = 6

describe.skipIf(lacksCitus)(`the upkeep of a deployment on a cluster${citusNote}`, () => {
  let cluster: ClusterDatabase
  let database: Database
  let folder: string
  let keys: Keys
  const companies: Published[] = []

  beforeAll(async () => {
    cluster = await clusterDatabase({ workers: 2, hasOwner: true })
    database = cluster.database
    folder = await mkdtemp(join(tmpdir(), 'countinghouse-upkeep-'))
    keys = await openKeys(folder)
    for (let number = 0; number < COMPANIES; number += 1) companies.push(await addPublished(database))
    for (const of of companies) await addOld(of)
  }, 240_000)
  afterAll(async () => {
    await cluster?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A raw page, a run and a version from long ago, beside what the company has published. */
  async function addOld({ instanceId, companyId, serviceId, connectionId }: Published): Promise<void> {
    const id = randomUUID()
    const sealed = createSealer(keys).seal({ instanceId, table: 'raw_pages', rowId: id, column: 'sealed' }, Buffer.from('[]'))
    const page = { instanceId, companyId, connectionId, id, pull: 'accounts', page: 0, fetchedAt: LONG_AGO, contentHash: Buffer.alloc(32) }
    await inTransaction(database, (db) => storeRawPage(db, { ...page, sealed, object: null, span: null }))
    await database.query(
      `insert into sync_runs (instance_id, id, connection_id, company_id, reason, state, fence, started_at, ended_at)
       values ($1, $2, $3, $4, 'schedule', 'published', 1, $5, $5)`,
      [instanceId, randomUUID(), connectionId, companyId, LONG_AGO],
    )
    await database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, valid_to, orig_id, connection_id, doc, content_hash,
         sort_key, run_id, raw_index, mapping_version)
       values ($1, $2, $3, 'Accounts', $4, $5, $5::timestamptz + interval '1 day', 'old', $6, '{}', '', '', $4, 0, 1)`,
      [instanceId, companyId, serviceId, randomUUID(), LONG_AGO, connectionId],
    )
  }

  const count = async (table: string, where = 'true', values: unknown[] = []) => {
    const { rows } = await database.query<{ count: number }>(`select count(*)::int as count from ${table} where ${where}`, values)
    return rows[0]?.count
  }

  it('a new sealing key is applied to every value on every node', async () => {
    await addKey(folder, 'sealing')
    keys.sealing.refresh()
    const sealer = createSealer(keys)
    expect(await reEncryptAll(database, sealer)).toEqual({ reEncrypted: COMPANIES, unreadable: 0 })
    expect(await countSealed(database)).toEqual([{ table: 'raw_pages', key: sealer.newestKeyId(), count: COMPANIES }])
    expect(await reEncryptAll(database, sealer)).toEqual({ reEncrypted: 0, unreadable: 0 })
  })

  it('what has expired is deleted on every node, and nothing else', async () => {
    const months: RetentionMonths = { links: 12, timeline: 12, sourceFiles: 12, receipts: 12, versions: 12, runs: 12, rawPages: 12 }
    const deleted: Record<string, number> = {}
    await applyRetention(database, months, {
      onDeleted: (of, number) => {
        deleted[of] = (deleted[of] ?? 0) + number
      },
      isStopping: () => false,
    })
    expect(deleted).toMatchObject({ versions: COMPANIES, rawPages: COMPANIES })
    expect(await count('record_versions')).toBe(COMPANIES)
    expect(await count('raw_pages')).toBe(0)
    expect(await count('publications')).toBe(COMPANIES)
  })

  it('an instance is erased on every node, and the others keep their rows', async () => {
    const [erased] = companies
    if (!erased) throw new Error('there are no companies')
    await addOld(erased)
    for (const table of await listInstanceTables(database))
      while ((await inTransaction(database, (db) => deleteInstanceRows(db, table, erased.instanceId, 100))).next);
    await deleteInstance(database, erased.instanceId)
    for (const { name } of await listInstanceTables(database))
      expect([name, await count(name, 'instance_id = $1', [erased.instanceId])]).toEqual([name, 0])
    expect(await count('record_versions')).toBe(COMPANIES - 1)
  })
})
