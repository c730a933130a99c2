import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { addInstance } from '../../../test/harness/app/tenants.ts'
import { databaseForTests } from '../../../test/harness/for-tests.ts'
import { ScriptedSource } from '../../../test/sync/scripted-source.ts'
import { createSources } from '../../connectors/sources.ts'
import { toServiceId } from '../../model/catalogue.ts'
import { ensureChildService } from '../../store/connections/child-services.ts'
import { saveInstitutions } from '../../store/sources/institutions.ts'
import { UNKNOWN_BANK } from './bank-identity.ts'
import {
  findBank,
  listMovements,
  readTexts,
  toBank,
  toDayNumber,
  toEvidence,
  toMovements,
  withDirectoryNames,
  withName,
} from './evidence.ts'

const HARBOR = { names: ['Harbor'], routingNumbers: ['021000021'], site: 'harbor.example' }
const row = (document: object) => ({ id: 'id', serviceId: 'service', doc: JSON.stringify(document) })

describe('the evidence of an account', () => {
  it('is what its document says of it, numbers as texts', () => {
    const document = {
      ...{ origId: '7', providerName: 'Harbor Valley', accountNumber: '••••44-1x', currency: 'CAD', typeSystem: 'Cash' },
      ...{ subTypeSystem: 'Checking', actualBalance: 1200.5, actualBalanceDate: '1970-01-01T00:00:01Z', lender: null },
    }
    expect(toEvidence({ ...row(document), doc: JSON.stringify(document).replace('1200.5', '1200.50') }, HARBOR)).toEqual({
      ...{ id: 'id', serviceId: 'service', origId: '7', ending: '441x', numbers: [], currency: 'CAD', type: 'Cash', subType: 'Checking' },
      ...{ balance: '1200.50', balanceAt: 1000, movements: null },
      bank: { ...HARBOR, names: ['Harbor', 'Harbor Valley'] },
    })
  })

  it('is empty where the document says nothing', () => {
    const empty = { id: 'id', serviceId: 'service', origId: '', ending: '', numbers: [], currency: '', type: '', subType: '' }
    expect(toEvidence(row({ actualBalance: null }), UNKNOWN_BANK)).toEqual({
      ...empty,
      ...{ bank: UNKNOWN_BANK, balance: null, balanceAt: null, movements: null },
    })
  })

  it('has the texts and numbers of a document', () => {
    expect([...readTexts('{"a":"x","b":0.10,"c":true,"d":null,"e":""}')]).toEqual([
      ['a', 'x'],
      ['b', '0.10'],
      ['e', ''],
    ])
  })
})

describe('a bank', () => {
  it.each([
    ['', HARBOR],
    ['Valley', { ...HARBOR, names: ['Harbor', 'Valley'] }],
    ['DEUTDEFF', { ...HARBOR, routingNumbers: ['021000021', 'DEUTDEFF'] }],
  ])('named “%s” by its source keeps what is known of it', (name, expected) => {
    expect(withName(HARBOR, name)).toEqual(expected)
  })

  it('of a directory has a name, numbers and a website', () => {
    const entry = { id: '1', name: 'Harbor', countries: ['CA'], routingNumbers: ['021000021'], url: 'https://www.harbor.example/x' }
    expect([toBank(entry), toBank(null)]).toEqual([HARBOR, UNKNOWN_BANK])
  })
})

describe('the period of transactions', () => {
  const list = [
    { day: 5, amount: '1', text: '' },
    { day: 2, amount: '2', text: '' },
    { day: 9, amount: '3', text: '' },
  ]
  it.each([
    [undefined, 2],
    [1, 2],
    [3, 3],
  ])('begins with the first of them, and not before day %s', (oldest, from) => {
    expect(toMovements(list, oldest)).toEqual({ from, until: 9, list })
  })

  it('counts days since 1970', () => {
    expect(['1970-01-01', '1970-01-02', '1969-12-31', '2026-11-28'].map(toDayNumber)).toEqual([0, 1, -1, 20_785])
  })
})

describe('in the database', () => {
  const at = databaseForTests()
  const description = { ...new ScriptedSource('agg', 'Banking').description, hasInstitutions: true }
  const sources = createSources([description, new ScriptedSource('direct', 'Banking').description], {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => ({ http: () => Promise.reject(new Error('this source does no HTTP')), app, hosts, now: () => new Date(0) }),
  })
  let instanceId: string
  let other: string
  const [harbor, sea, gone] = [randomUUID(), randomUUID(), randomUUID()]

  beforeAll(async () => {
    const { database } = at
    ;[instanceId, other] = [await addInstance(database), await addInstance(database)]
    const entry = { countries: ['CA'], url: null }
    await saveInstitutions(database, 'agg', new Date(), [
      { ...entry, id: 'h', name: 'Harbor', routingNumbers: ['021000021'], url: 'https://harbor.example' },
      { ...entry, id: 's', name: 'Sea', routingNumbers: ['2'] },
    ])
    await saveInstitutions(database, 'elsewhere', new Date(), [
      { ...entry, id: 'x', name: 'Harbour', routingNumbers: ['021000021', '9'] },
      { ...entry, id: 'y', name: 'Harbor', routingNumbers: ['9'] },
      { ...entry, id: 'z', name: 'Valley', routingNumbers: ['3'] },
    ])
    const child = { connectorKey: 'agg' }
    await ensureChildService(database, instanceId, { ...child, id: harbor, institutionId: 'h', name: 'Harbor Bank' })
    await ensureChildService(database, instanceId, { ...child, id: sea, institutionId: 's', name: 'Sea' })
    await ensureChildService(database, instanceId, { ...child, id: gone, institutionId: 'gone', name: 'Gone' })
  })

  it('a bank behind an aggregator is known by its entry and the name of the service', async () => {
    const found = (id: string, instance = instanceId) => findBank(at.database, sources, instance, id)
    expect(await found(harbor)).toEqual({ ...HARBOR, names: ['Harbor Bank', 'Harbor'] })
    expect(await found(sea)).toEqual({ names: ['Sea'], routingNumbers: ['2'], site: null })
    expect(await found(gone)).toEqual({ ...UNKNOWN_BANK, names: ['Gone'] })
    for (const unknown of [toServiceId('direct'), randomUUID()]) expect(await found(unknown)).toEqual(UNKNOWN_BANK)
    expect(await found(harbor, other)).toEqual(UNKNOWN_BANK)
  })

  it('a bank of a file, known by its number only, has the names that directories have for it', async () => {
    const named = (routingNumbers: string[], names: string[] = []) =>
      withDirectoryNames(at.database, { ...UNKNOWN_BANK, names, routingNumbers })
    expect((await named(['021000021', '9'])).names).toEqual(['Harbor', 'Harbour'])
    expect(await named(['3'])).toEqual({ names: ['Valley'], routingNumbers: ['3'], site: null })
    expect((await named(['3'], ['Own'])).names).toEqual(['Own'])
    expect([(await named([])).names, (await named(['4'])).names]).toEqual([[], []])
  })

  describe('the booked transactions of a service', () => {
    const scope = { companyId: randomUUID(), serviceId: randomUUID() }
    const insert = async (companyId: string, documents: string, count: number) =>
      await at.database.query(
        `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash,
           sort_key, run_id, raw_index, mapping_version)
         select $1, $2, $3, 'Transactions', gen_random_uuid(), now(), n::text, $2, (${documents})::text, '', to_char(date '2000-01-01' + n, 'YYYY-MM-DD'),
           $2, 0, 1 from generate_series(1, $4::int) n`,
        [instanceId, companyId, scope.serviceId, count],
      )
    const document = (
      account: string,
    ) => `jsonb_build_object('accountOrigId', ${account}, 'postedOn', to_char(date '2000-01-01' + n, 'YYYY-MM-DD'),
      'amount', n::text || '.25', 'description', 'Paid', 'counterparty', 'Sea', 'isPending', false)`

    it('are by account, with their days and texts, and cover all days', async () => {
      await insert(scope.companyId, document(`case when n < 3 then 'a' else 'b' end`), 3)
      const day = toDayNumber('2000-01-01')
      const movement = (n: number) => ({ day: day + n, amount: `${n}.25`, text: 'Paid Sea' })
      expect(await listMovements(at.database, { instanceId, companyId: scope.companyId }, scope.serviceId)).toEqual(
        new Map([
          ['b', { from: day + 3, until: day + 3, list: [movement(3)] }],
          ['a', { from: day + 1, until: day + 2, list: [movement(2), movement(1)] }],
        ]),
      )
      expect(await listMovements(at.database, { instanceId: other, companyId: scope.companyId }, scope.serviceId)).toEqual(new Map())
    })

    it.each([
      [9_999, 1],
      [10_000, 2],
      [10_001, 3],
    ])('of which there are %i are complete from day %i on', async (count, from) => {
      const companyId = randomUUID()
      await insert(companyId, document(`'a'`), count)
      const found = (await listMovements(at.database, { instanceId, companyId }, scope.serviceId)).get('a')
      expect([found?.list.length, (found?.from ?? 0) - toDayNumber('2000-01-01')]).toEqual([Math.min(count, 10_000), from])
    })
  })
})
