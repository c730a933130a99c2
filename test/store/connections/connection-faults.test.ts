import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ensureChildService, findChildService, listChildServices } from '../../../src/store/connections/child-services.ts'
import { listCompanyBanks } from '../../../src/store/connections/company-banks.ts'
import { countConnections } from '../../../src/store/connections/connection-counts.ts'
import { clearTrouble, writeFault, writeTrouble } from '../../../src/store/connections/connection-faults.ts'
import { type Connection, findConnection } from '../../../src/store/connections/connections.ts'
import { databaseForTests } from '../../harness/for-tests.ts'
import { listColumn, storeConnection, storeTenants, type Tenants } from '../stored.ts'

const test = databaseForTests()
let tenants: Tenants
let [instanceId, otherId, companyId] = ['', '', '']
beforeEach(async () => {
  tenants = await storeTenants(test.database)
  ;({ instanceId, otherId, companyId } = tenants)
})

const find = (id: string) => findConnection(test.database, instanceId, id)

describe('a fault', () => {
  it('is a code with a text, or a text alone, and takes the place of trouble', async () => {
    const { database } = test
    const { id } = await storeConnection(database, tenants)
    const fault = async () => {
      const found = await find(id)
      return [found?.fault, found?.faultCode, found?.trouble]
    }
    const trouble = { code: 'sourceUnavailable', text: 'The source cannot be reached.', parts: {} } as const
    await writeTrouble(database, otherId, id, trouble, 60_000)
    expect(await fault()).toEqual([null, null, null])
    await writeTrouble(database, instanceId, id, trouble, 60_000)
    const [, , noted] = await fault()
    expect(noted).toEqual({ code: trouble.code, message: trouble.text, at: expect.any(String), nextAt: expect.any(String) })
    const { rows } = await database.query<{ ms: number }>(
      `select extract(epoch from (trouble->>'nextAt')::timestamptz - (trouble->>'at')::timestamptz)::float8 * 1000 as ms from connections where id = $1`,
      [id],
    )
    expect(Math.abs((rows[0]?.ms ?? 0) - 60_000)).toBeLessThan(1_000)
    await writeFault(database, otherId, id, 'x')
    await writeFault(database, instanceId, id, { code: 'declined', text: 'The owner declined.', parts: {} })
    expect(await fault()).toEqual(['The owner declined.', 'declined', null])
    await writeFault(database, instanceId, id, 'words of the source')
    expect(await fault()).toEqual(['words of the source', null, null])
    await writeTrouble(database, instanceId, id, trouble, 1)
    await clearTrouble(database, otherId, id)
    expect((await find(id))?.trouble).not.toBe(null)
    await clearTrouble(database, instanceId, id)
    expect(await fault()).toEqual(['words of the source', null, null])
    await writeTrouble(database, instanceId, id, trouble, 1)
    await writeFault(database, instanceId, id, null)
    expect(await fault()).toEqual([null, null, null])
  })

  it.each([26, 27] as const)('of reading is not noted in status %d', async (status) => {
    const { id } = await storeConnection(test.database, tenants, { status })
    await writeTrouble(test.database, instanceId, id, { code: 'internal', text: 'x', parts: {} }, 1)
    expect((await find(id))?.trouble).toBe(null)
  })
})

describe('connections of a company', () => {
  it('to banks are those that are authorized and have not ended, oldest first', async () => {
    const { database } = test
    const bank = { category: 'Banking' } as const
    const first = await storeConnection(database, tenants, bank, { entity_id: `'e'` })
    const second = await storeConnection(database, tenants, bank, { entity_id: `'e'`, entity_name: `'Chequing'` })
    await storeConnection(database, tenants, bank)
    await storeConnection(database, tenants, { ...bank, status: 26 }, { entity_id: `'e'` })
    await storeConnection(database, tenants, {}, { entity_id: `'e'` })
    const shown = ({ id, serviceId, createdAt }: Connection, entityName: string) => ({ id, serviceId, createdAt, entityName })
    expect(await listCompanyBanks(database, tenants)).toEqual([shown(first, ''), shown(second, 'Chequing')])
    expect([
      await listCompanyBanks(database, { instanceId: otherId, companyId }),
      await listCompanyBanks(database, { instanceId, companyId: randomUUID() }),
    ]).toEqual([[], []])
  })

  it('are counted by status over all instances', async () => {
    const { database } = test
    await database.query('truncate connections cascade')
    expect(await countConnections(database)).toEqual([])
    for (const status of [9, 9, 26] as const) await storeConnection(database, tenants, { status })
    await storeConnection(database, { instanceId: otherId, companyId: tenants.otherCompanyId })
    expect((await countConnections(database)).toSorted((a, b) => a.status - b.status)).toEqual([
      { status: 9, count: 3 },
      { status: 26, count: 1 },
    ])
  })

  it('are estimated where they are more than are counted', async () => {
    const { database } = test
    await database.query('truncate connections cascade')
    await database.query(
      `insert into connections (instance_id, id, company_id, service_id, connector_key, category, email, status, update_scheduled_at, refresh_hours)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), 'plaid', 'Banking', 'o@maple.example', case when n > 12000 then 9 else 19 end, now(), 24
       from generate_series(1, 12002) n`,
      [instanceId, companyId],
    )
    const count = async () => new Map((await countConnections(database)).map(({ status, count: found }) => [status, found]))
    expect((await count()).get(19)).toBeGreaterThanOrEqual(10_000)
    await database.query('analyze connections')
    const counted = await count()
    expect([counted.get(9), counted.size]).toEqual([2, 2])
    expect(Math.abs((counted.get(19) ?? 0) - 12_000)).toBeLessThan(600)
    await database.query(
      'update connections set status = 2 where id = any (array(select id from connections where status = 19 limit 2000))',
    )
    expect((await count()).get(19)).toBe(10_000)
    await database.query('truncate connections cascade')
  })
})

it('a bank is a service of an instance, made once', async () => {
  const { database } = test
  const [zeta, alpha] = ['Zeta', 'Alpha'].map((name) => ({ id: randomUUID(), connectorKey: 'plaid', institutionId: `ins_${name}`, name }))
  if (!zeta || !alpha) throw new Error('no services')
  for (const child of [zeta, alpha, { ...zeta, name: 'Renamed' }, { ...zeta, id: randomUUID() }])
    await ensureChildService(database, instanceId, child)
  expect(await listChildServices(database, instanceId)).toEqual([alpha, zeta])
  expect([await findChildService(database, instanceId, zeta.id), await findChildService(database, otherId, zeta.id)]).toEqual([zeta, null])
  expect([await listChildServices(database, otherId), await findChildService(database, instanceId, randomUUID())]).toEqual([[], null])
  expect(await listColumn(database, 'child_services', 'institution_id', instanceId)).toEqual(['ins_Alpha', 'ins_Zeta'])
})
