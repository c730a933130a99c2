import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type CompanyDetails,
  createCompany,
  deleteCompany,
  ExternalIdTaken,
  findCompany,
  isBeingErased,
  updateCompany,
} from '../../../src/store/connections/companies.ts'
import { recordConsent } from '../../../src/store/connections/consents.ts'
import { eraseConnectionData } from '../../../src/store/connections/erasure.ts'
import { inTransaction } from '../../../src/store/db/database.ts'
import { addCompany } from '../../harness/app/tenants.ts'
import { SHAPES, storeForTests } from '../../records/record-store.ts'
import { raiseEvent } from '../../webhooks/harness.ts'
import { listColumn, setColumns, storeConnection, storeLink, storeTenants, type Tenants } from '../stored.ts'
import { newConsent } from './consents.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let tenants: Tenants
  let [instanceId, otherId, companyId] = ['', '', '']
  beforeEach(async () => {
    tenants = await storeTenants(test.database)
    ;({ instanceId, otherId, companyId } = tenants)
  })

  const details = (more: Partial<CompanyDetails> = {}): CompanyDetails => ({
    ...{
      name: 'Érable',
      industry: 'Bakery',
      fullAddress: '1 rue A',
      country: 'CA',
      city: 'Laval',
      companyContactNumber: '+1 514',
      ...more,
    },
  })

  describe('a company', () => {
    it('is stored once for its id, with or without data of the customer', async () => {
      const { database } = test
      const [one, two] = [randomUUID(), randomUUID()]
      const plain = { id: one, ...details(), externalId: null, metadata: {}, createdOn: expect.any(Date) }
      expect(await createCompany(database, instanceId, one, details())).toEqual(plain)
      expect(await createCompany(database, instanceId, one, details({ name: 'Other' }))).toEqual(plain)
      const own = { externalId: 'crm-1', metadata: { tier: 'gold' } }
      expect(await createCompany(database, instanceId, two, details(own))).toEqual({ ...plain, id: two, ...own })
      expect(await createCompany(database, otherId, two, details(own))).toMatchObject(own)
      await expect(createCompany(database, instanceId, randomUUID(), details({ externalId: 'crm-1' }))).rejects.toThrow(ExternalIdTaken)
      await expect(createCompany(database, randomUUID(), randomUUID(), details())).rejects.toThrow('foreign key')
      expect([await findCompany(database, instanceId, one), await findCompany(database, otherId, one)]).toEqual([plain, null])
    })

    it('is replaced, but for data of the customer that is left out', async () => {
      const { database } = test
      const own = { externalId: 'crm-1', metadata: { tier: 'gold' } }
      await createCompany(database, instanceId, randomUUID(), details({ externalId: 'taken' }))
      const { id, createdOn } = await createCompany(database, instanceId, randomUUID(), details(own))
      const next = { name: 'Bouleau', industry: 'x', fullAddress: 'y', country: 'US', city: 'z', companyContactNumber: '1' }
      const update = (more: Partial<CompanyDetails> = {}, of = instanceId) => updateCompany(database, of, id, { ...next, ...more })
      expect(await update({}, otherId)).toBe(null)
      expect(await update()).toEqual({ id, createdOn, ...next, ...own })
      expect(await update({ externalId: null, metadata: {} })).toEqual({ id, createdOn, ...next, externalId: null, metadata: {} })
      expect(await update({ externalId: 'crm-2' })).toMatchObject({ externalId: 'crm-2', metadata: {} })
      await expect(update({ externalId: 'taken' })).rejects.toThrow(ExternalIdTaken)
      expect(await findCompany(database, instanceId, id)).toMatchObject({ externalId: 'crm-2' })
    })
  })

  describe('the deletion of a company', () => {
    const remove = (of = instanceId, id = companyId) => inTransaction(test.database, (db) => deleteCompany(db, of, id))
    const erasing = (kind: string, connectionId: string, state: string) =>
      test.database.query('insert into jobs (instance_id, kind, key, state) values ($1, $2, $3, $4)', [
        instanceId,
        kind,
        `erase/${connectionId}`,
        state,
      ])

    it('is refused while a connection is active, and takes all that is of the company', async () => {
      const { database } = test
      const neighbour = { instanceId, companyId: await addCompany(database, instanceId) }
      for (const tenant of [tenants, neighbour]) {
        const link = await storeLink(database, tenant)
        await recordConsent(database, newConsent({ ...tenant, linkId: link.id }))
        await raiseEvent(database, instanceId, 'RawData', { companyId: tenant.companyId })
        await storeConnection(database, tenant)
        await database.query(
          `insert into record_coverage (instance_id, company_id, service_id, entity, counted_until, total, filled)
           values ($1, $2, $2, 'Accounts', now(), 3, '{}')`,
          [instanceId, tenant.companyId],
        )
      }
      expect([await remove(), await remove(otherId), await remove(instanceId, randomUUID())]).toEqual(['connected', 'unknown', 'unknown'])
      await database.query('update connections set status = 26 where company_id = $1', [companyId])
      expect([await remove(), await remove()]).toEqual(['deleted', 'unknown'])
      for (const table of ['links', 'consents', 'events', 'connections', 'record_coverage'])
        expect(await listColumn(database, table, 'company_id', instanceId), table).toEqual([neighbour.companyId])
      expect([
        await findCompany(database, instanceId, companyId),
        (await findCompany(database, otherId, tenants.otherCompanyId))?.id,
      ]).toEqual([null, tenants.otherCompanyId])
    })

    it.each<[string, string, string, 'erasing' | 'deleted']>([
      ['waits', 'erase', 'ready', 'erasing'],
      ['runs', 'erase', 'running', 'erasing'],
      ['of a person runs', 'owner-erase', 'running', 'erasing'],
      ['died', 'erase', 'dead', 'deleted'],
    ])('while an erasure %s: %s %s', async (_what, kind, state, expected) => {
      const { id } = await storeConnection(test.database, tenants, { status: 26 })
      expect(await isBeingErased(test.database, instanceId, companyId)).toBe(false)
      await erasing(kind, id, state)
      expect(await isBeingErased(test.database, instanceId, companyId)).toBe(expected === 'erasing')
      expect(await isBeingErased(test.database, otherId, companyId)).toBe(false)
      expect(await remove()).toBe(expected)
    })
  })

  describe('the erasure of a connection', () => {
    it('takes its pages, runs, files, records and versions, and leaves those of its neighbour, its row and its timeline', async () => {
      const { database } = test
      const [erased, kept] = [await storeConnection(database, tenants), await storeConnection(database, tenants)]
      const tables = ['raw_pages', 'sync_runs', 'source_files', 'quarantined_records', 'credential_versions', 'record_versions']
      for (const { id, serviceId } of [erased, kept]) {
        const run = randomUUID()
        for (const [columns, values, more] of [
          ['sync_runs (instance_id, connection_id, company_id, id, reason, state, fence)', `$4, 'first', 'running', 1`, [run]],
          [
            'raw_pages (instance_id, connection_id, company_id, id, pull, page, fetched_at, content_hash, sealed)',
            `gen_random_uuid(), 'accounts', 0, now(), '', ''`,
            [],
          ],
          ['source_files (instance_id, connection_id, company_id, id, name, content_hash)', `gen_random_uuid(), 'a.csv', ''`, []],
          [
            'quarantined_records (instance_id, connection_id, company_id, entity, orig_id, reason, raw_index, run_id)',
            `'Accounts', 'o', 'r', 0, $4`,
            [run],
          ],
          [
            'record_versions (instance_id, connection_id, company_id, service_id, entity, id, valid_from, orig_id, doc, content_hash, sort_key, run_id, raw_index, mapping_version)',
            `$5, 'Accounts', gen_random_uuid(), now(), 'o', '{}', '', 's', $4, 0, 1`,
            [run, serviceId],
          ],
        ] as const)
          await database.query(`insert into ${columns} values ($1, $2, $3, ${values})`, [instanceId, id, companyId, ...more])
        await database.query('insert into staged_runs (instance_id, run_id, company_id) values ($1, $2, $3)', [instanceId, run, companyId])
        await database.query(`insert into run_pages (instance_id, run_id, company_id, pull, page, seen) values ($1, $2, $3, 0, 0, '')`, [
          instanceId,
          run,
          companyId,
        ])
        await database.query(
          `insert into staged_records (instance_id, run_id, company_id, entity, id, seq, orig_id) values ($1, $2, $3, 'Accounts', gen_random_uuid(), 0, 'o')`,
          [instanceId, run, companyId],
        )
        await database.query(
          `insert into credential_versions (instance_id, connection_id, id, base_generation, issued_at, sealed) values ($1, $2, gen_random_uuid(), 1, now(), '')`,
          [instanceId, id],
        )
        await database.query('update raw_pages set object_id = $2 where connection_id = $1', [id, id])
        const columns = { cursors: `'{"a":1}'`, fault: `'x'`, fault_code: `'declined'`, trouble: `'{}'`, erase_at: 'now()' }
        await setColumns(database, 'connections', { instanceId, id }, columns)
      }
      await eraseConnectionData(database, otherId, erased.id)
      for (const table of tables) expect(await listColumn(database, table, 'connection_id', instanceId), table).toHaveLength(2)
      await eraseConnectionData(database, instanceId, erased.id)
      for (const table of tables) expect(await listColumn(database, table, 'connection_id', instanceId), table).toEqual([kept.id])
      expect((await database.query('select object_key as key from unclaimed_objects where is_condemned')).rows).toEqual([
        { key: `${instanceId}/${erased.id}/${erased.id}` },
      ])
      const runs = await listColumn(database, 'sync_runs', 'id', instanceId)
      for (const table of ['staged_runs', 'staged_records', 'run_pages'])
        expect(await listColumn(database, table, 'run_id', instanceId), table).toEqual(runs)
      const { rows } = await database.query(
        `select id, cursors, fault, fault_code as code, trouble, erase_at is null as "isDone", erased_at is not null as "isErased" from connections
       where instance_id = $1 order by created_at`,
        [instanceId],
      )
      expect(rows).toEqual([
        { id: erased.id, cursors: {}, fault: null, code: null, trouble: null, isDone: true, isErased: true },
        { id: kept.id, cursors: { a: 1 }, fault: 'x', code: 'declined', trouble: {}, isDone: false, isErased: false },
      ])
      expect(await listColumn(database, 'connection_timeline', 'connection_id', instanceId)).toEqual([erased.id, kept.id].toSorted())
    })
  })
})
