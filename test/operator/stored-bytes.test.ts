import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Db, inTransaction } from '../../src/store/db/database.ts'
import { withinInstance } from '../../src/store/db/instance-scope.ts'
import { admitToQuota, listQuotas } from '../../src/store/operators/quotas.ts'
import { countStoredBytes } from '../../src/store/operators/stored-bytes.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'

const at = databaseForTests()
let instanceId: string
let connectionId: string
beforeEach(async () => {
  instanceId = await addInstance(at.database)
  connectionId = await addConnection()
})

async function addConnection(companyId?: string): Promise<string> {
  const id = randomUUID()
  await at.database.query(
    `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
     values ($1, $2, $3, $4, 'books', 'Accounting', 'a@b.example', 9, now(), 24)`,
    [instanceId, id, companyId ?? (await addCompany(at.database, instanceId)), randomUUID()],
  )
  return id
}

async function addPage(bytes: number, of = connectionId, db: Db = at.database): Promise<string> {
  const id = randomUUID()
  await db.query(
    `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed) values ($1, $2, $3, 'accounts', 1, now(), '', $4)`,
    [instanceId, id, of, Buffer.alloc(bytes)],
  )
  return id
}

async function addFile(bytes: number): Promise<string> {
  const id = randomUUID()
  await at.database.query(
    `insert into source_files (instance_id, id, connection_id, name, content_hash, sealed) values ($1, $2, $3, 'a.ofx', $4, $5)`,
    [instanceId, id, connectionId, Buffer.from(id), Buffer.alloc(bytes)],
  )
  return id
}

const used = async () => (await listQuotas(at.database, instanceId)).find(({ name }) => name === 'storedBytes')?.used
/** As after an upgrade from a release that did not count. */
const forget = () => at.database.query('delete from stored_bytes where instance_id = $1', [instanceId])

describe('the stored bytes of an instance', () => {
  it('follow what is stored, changed and deleted', async () => {
    const page = await addPage(100)
    const file = await addFile(50)
    await addPage(25, await addConnection())
    expect(await used()).toBe(175)
    await at.database.query('update source_files set sealed = null where instance_id = $1 and id = $2', [instanceId, file])
    await at.database.query('update raw_pages set sealed = $3 where instance_id = $1 and id = $2', [instanceId, page, Buffer.alloc(120)])
    expect(await used()).toBe(145)
    await at.database.query('delete from raw_pages where instance_id = $1 and id = $2', [instanceId, page])
    expect(await used()).toBe(25)
    await at.database.query('delete from connections where instance_id = $1', [instanceId])
    expect(await used()).toBe(0)
  })

  it('are counted in the scope of the instance, and not with those of another', async () => {
    await withinInstance(instanceId, () => inTransaction(at.database, (db) => addPage(100, connectionId, db)))
    expect(await used()).toBe(100)
    const other = await addInstance(at.database)
    const seen = await withinInstance(other, () => at.database.query('select from stored_bytes'))
    expect(seen.rowCount).toBe(0)
  })

  it('of connections from before are counted in the background, also while they change', async () => {
    const first = await addPage(100)
    await addPage(40)
    await forget()
    await at.database.query('delete from raw_pages where instance_id = $1 and id = $2', [instanceId, first])
    await countStoredBytes(at.database)
    expect(await used()).toBe(40)
    await forget()
    await addPage(7)
    expect(await used()).toBe(47)
    await countStoredBytes(at.database)
    expect(await used()).toBe(47)
  })

  it('are right when a page is deleted while its connection is counted', async () => {
    const page = await addPage(100)
    await forget()
    const deleting = await at.database.connect()
    await deleting.query('begin')
    await deleting.query('delete from raw_pages where instance_id = $1 and id = $2', [instanceId, page])
    const counting = countStoredBytes(at.database)
    await untilOneWaits()
    await deleting.query('commit')
    deleting.release()
    await counting
    expect(await used()).toBe(0)
  })

  it('make nobody wait who adds none', async () => {
    await at.database.query(`insert into instance_quotas (instance_id, name, bound) values ($1, 'storedBytes', 1000)`, [instanceId])
    await inTransaction(at.database, async (db) => {
      await admitToQuota(db, instanceId, 'storedBytes', 1)
      await inTransaction(at.database, (other) => admitToQuota(other, instanceId, 'storedBytes', 0))
    })
  })
})

async function untilOneWaits(): Promise<void> {
  for (;;) {
    const { rowCount } = await at.database.query(`select from pg_locks where locktype = 'advisory' and not granted`)
    if (rowCount === 1) return
  }
}
