import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Connection } from '../../../src/store/connections/connections.ts'
import { openRun, saveProgress } from '../../../src/store/connections/sync-runs.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import type { Operator, Selection } from '../../../src/store/db/list-selection.ts'
import { countReadSoFar, countStored, findOwnedConnection, listStoredDocuments } from '../../../src/store/owners/owner-connections.ts'
import { lockOwnerPages } from '../../../src/store/owners/owner-pages.ts'
import { listReceipts, type Receipt, saveReceipt } from '../../../src/store/owners/receipts.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { AT, minutesAfter } from '../../records/record-store.ts'
import { storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let connection: Connection
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId, companyId } = tenants)
  connection = await storeConnection(test.database, tenants, {}, { entity_id: `'e'`, entity_name: `'Books'` })
})

/** Stores a version of a record of the connection; returns the id of the record. */
async function storeRecord(
  doc: string,
  more: { entity?: string; connectionId?: string; isDeleted?: boolean; isOld?: boolean } = {},
): Promise<string> {
  const id = randomUUID()
  await test.database.query(
    `insert into record_versions (instance_id, company_id, service_id, connection_id, entity, id, valid_from, valid_to, orig_id, doc, content_hash, sort_key, run_id,
       raw_index, mapping_version, deleted)
     values ($1, $2, $3, $4, $5, $6, now() - interval '1 hour', $7, 'o', $8, '', 's', $1, 0, 1, $9)`,
    [
      ...[instanceId, companyId, connection.serviceId, more.connectionId ?? connection.id, more.entity ?? 'Accounts', id],
      ...[more.isOld ? new Date() : null, doc, more.isDeleted ?? false],
    ],
  )
  return id
}

describe('what is stored of a connection', () => {
  it('is counted and read as far as it is active, in the order of ids', async () => {
    const { database } = test
    const ids = [await storeRecord('{"n":1}'), await storeRecord('{"n":2}')].toSorted()
    const transaction = await storeRecord('{"n":3}', { entity: 'Transactions' })
    const neighbour = await storeConnection(database, tenants, { serviceId: connection.serviceId, status: 26 })
    for (const more of [{ isDeleted: true }, { isOld: true }, { connectionId: neighbour.id }]) await storeRecord('{}', more)
    await database.query(
      `insert into raw_pages (instance_id, connection_id, company_id, id, pull, page, fetched_at, content_hash, sealed)
       select $1, $2, $3, gen_random_uuid(), 'accounts', n, now(), '', '' from generate_series(1, 3) n`,
      [instanceId, connection.id, companyId],
    )
    expect(await countStored(database, instanceId, connection.id)).toEqual({ accounts: 2, transactions: 1, rawPages: 3 })
    expect(await countStored(database, instanceId, neighbour.id)).toEqual({ accounts: 1, transactions: 0, rawPages: 0 })
    expect(await countStored(database, otherId, connection.id)).toEqual({ accounts: 0, transactions: 0, rawPages: 0 })
    const first = '00000000-0000-0000-0000-000000000000'
    const scope = { instanceId, companyId, serviceId: connection.serviceId, connectionId: connection.id }
    const read = async (entity: 'Accounts' | 'Transactions', after = first, limit = 10, more: Partial<typeof scope> = {}) =>
      (await listStoredDocuments(database, { ...scope, ...more }, entity, after, limit)).map(({ id }) => id)
    expect([await read('Accounts'), await read('Transactions')]).toEqual([ids, [transaction]])
    expect([await read('Accounts', first, 1), await read('Accounts', ids[0]), await read('Accounts', ids[1])]).toEqual([
      ids.slice(0, 1),
      ids.slice(1),
      [],
    ])
    for (const wrong of [{ instanceId: otherId }, { companyId: randomUUID() }, { serviceId: randomUUID() }, { connectionId: randomUUID() }])
      expect(await read('Accounts', first, 10, wrong)).toEqual([])
    expect(await listStoredDocuments(database, scope, 'Transactions', first, 1)).toEqual([{ id: transaction, doc: '{"n":3}' }])
  })

  it('is counted while it is read', async () => {
    const { database } = test
    const counts = { pages: 1, records: 0, changed: 0, setAside: 0, deleted: 0, heldBack: 0, reidentified: 0, unclear: 0 }
    const opened = {
      instanceId,
      companyId,
      id: randomUUID(),
      connectionId: connection.id,
      reason: 'first' as const,
      isAwaited: false,
      counts,
    }
    const run = await openRun(database, opened)
    expect(await countReadSoFar(database, connection)).toEqual({ since: run.startedAt, records: 0 })
    await saveProgress(database, { ...run, counts: { ...counts, records: 42 } })
    expect(await countReadSoFar(database, connection)).toEqual({ since: run.startedAt, records: 42 })
    expect([
      await countReadSoFar(database, { ...connection, instanceId: otherId }),
      await countReadSoFar(database, { ...connection, id: randomUUID() }),
    ]).toEqual([null, null])
  })

  it('is shown to its owner with its times', async () => {
    const { database } = test
    await database.query(
      `update connections set last_read_at = $2, owner_paused_at = $3, operator_suspended_at = $4, erase_at = $5, entity_name = null where id = $1`,
      [connection.id, minutesAfter(1), minutesAfter(2), minutesAfter(3), minutesAfter(4)],
    )
    await database.query('update connection_timeline set at = $2 where connection_id = $1', [connection.id, AT])
    const shown = await findOwnedConnection(database, { instanceId, companyId, connectionId: connection.id })
    expect(shown).toEqual({
      ...{ instanceId, companyId, id: connection.id, serviceId: connection.serviceId, connectorKey: 'quickbooks', category: 'Accounting' },
      ...{
        entityName: '',
        status: 9,
        connectedAt: AT,
        endedAt: null,
        lastReadAt: minutesAfter(1),
        nextReadAt: connection.updateScheduledAt,
      },
      ...{ ownerPausedAt: minutesAfter(2), operatorSuspendedAt: minutesAfter(3), eraseAt: minutesAfter(4) },
    })
    await database.query('update connections set status = 26, updated_at = $2 where id = $1', [connection.id, minutesAfter(9)])
    await database.query('delete from connection_timeline where connection_id = $1', [connection.id])
    expect(await findOwnedConnection(database, { instanceId, companyId, connectionId: connection.id })).toMatchObject({
      ...{ status: 26, endedAt: minutesAfter(9), nextReadAt: null, connectedAt: connection.createdAt },
    })
  })
})

describe('the list of receipts', () => {
  it('has filters, orders and pages, in its instance', async () => {
    const { database } = test
    const neighbourId = await addCompany(database, instanceId)
    const newReceipt = (minutes: number, more: Partial<Receipt> = {}): Receipt => ({
      ...{ instanceId, id: randomUUID(), companyId, connectionId: randomUUID(), kind: 'withdrawal', serviceName: 'Bank', signed: 'jws' },
      ...{ issuedAt: minutesAfter(minutes), ...more },
    })
    const [one, two, three] = [
      newReceipt(0),
      newReceipt(1, { kind: 'deletion', companyId: neighbourId }),
      newReceipt(2, { serviceName: 'Books' }),
    ]
    for (const receipt of [three, one, two]) await saveReceipt(database, receipt)
    await saveReceipt(database, newReceipt(0, { instanceId: otherId, companyId: tenants.otherCompanyId }))
    const list = (more: Partial<Selection> = {}, of = instanceId) =>
      listReceipts(database, of, { filter: [], orderBy: 'issuedOn', descending: false, limit: 10, offset: 0, ...more })
    expect(await list()).toEqual({ receipts: [one, two, three], total: { total: 3, hasMore: false } })
    const time = one.issuedAt.toISOString().replace('Z', '000Z')
    const where = (property: string, value: string, operator: Operator = '=') => ({ filter: [[{ property, operator, value }]] })
    const table: [Partial<Selection>, Receipt[]][] = [
      [{ descending: true, limit: 2 }, [three, two]],
      [{ offset: 2 }, [three]],
      [{ orderBy: 'serviceName', descending: true, limit: 1 }, [three]],
      [where('id', one.id), [one]],
      [where('companyId', neighbourId), [two]],
      [where('sessionId', three.connectionId), [three]],
      [where('kind', 'deletion'), [two]],
      [where('serviceName', 'Books'), [three]],
      [where('issuedOn', time, '>'), [two, three]],
    ]
    for (const [more, expected] of table) expect((await list(more)).receipts, JSON.stringify(more)).toEqual(expected)
    expect((await list(where('kind', 'deletion'))).total).toEqual({ total: 1, hasMore: false })
    expect((await list({}, otherId)).receipts.map(({ companyId: id }) => id)).toEqual([tenants.otherCompanyId])
  })
})

it('settings of the owners’ pages are changed by one at a time, in each instance', async () => {
  const isHeld = async (of: string) =>
    (
      await test.database.query<{ isFree: boolean }>(`select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "isFree"`, [
        `owner-pages/${of}`,
      ])
    ).rows[0]?.isFree === false
  await inTransaction(test.database, async (db) => {
    await lockOwnerPages(db, instanceId)
    expect([await isHeld(instanceId), await isHeld(otherId)]).toEqual([true, false])
  })
  expect(await isHeld(instanceId)).toBe(false)
})
