import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toServiceId } from '../../src/model/catalogue.ts'
import { ensureChildService } from '../../src/store/connections/child-services.ts'
import { createConnection } from '../../src/store/connections/connections.ts'
import { searchInstitutions } from '../../src/store/sources/institution-search.ts'
import { countConnectedInstitutions, rankInstitutions, saveInstitutions } from '../../src/store/sources/institutions.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openSyncHarness, type SyncHarness } from '../sync/harness.ts'

const KEY = 'plaid'
const LONG_AGO = new Date('2020-01-01')

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness([])
  const names = ['Alder Bank', 'Birch Bank', 'Cedar Bank', 'Douglas Bank', 'Elm Savings']
  const banks = names.map((name, at) => ({ id: `b${at}`, name, countries: ['CA'], routingNumbers: [], url: null }))
  await saveInstitutions(harness.deps.database, KEY, new Date(), banks)
})
afterEach(() => harness.close())

/** Adds a company that connected a bank at `on`. */
async function connect(institutionId: string, on: string): Promise<void> {
  const { database } = harness.deps
  const { instanceId } = harness
  const [companyId, id] = [randomUUID(), randomUUID()]
  const serviceId = toServiceId(`${KEY}/${institutionId}`)
  await addCompany(database, instanceId, { id: companyId })
  await ensureChildService(database, instanceId, { id: serviceId, connectorKey: KEY, institutionId, name: institutionId })
  await createConnection(database, {
    instanceId,
    id,
    companyId,
    serviceId,
    connectorKey: KEY,
    category: 'Banking',
    email: 'dev@example.com',
    status: 19,
    refreshHours: 24,
    applicationId: null,
  })
  await database.query('update connections set entity_id = $2, created_at = $3 where id = $1', [id, id, on])
}

async function firstOnes(text = ''): Promise<string[]> {
  const { institutions } = await searchInstitutions(harness.deps.database, KEY, { text, country: 'CA' }, { limit: 5, offset: 0 })
  return institutions.map(({ name, isPopular }) => (isPopular ? `${name}!` : name))
}

describe('the first banks', () => {
  it('are those connected most often, then those that the provider names, then the others by name', async () => {
    for (const id of ['b3', 'b3', 'b2']) await connect(id, '2026-01-01')
    await countConnectedInstitutions(harness.deps.database, KEY, LONG_AGO)
    await rankInstitutions(harness.deps.database, KEY, ['b4', 'b1', 'unknown'])
    expect(await firstOnes()).toEqual(['Douglas Bank!', 'Cedar Bank!', 'Elm Savings!', 'Birch Bank!', 'Alder Bank'])
  })

  it('are counted again: old connections no longer count', async () => {
    await connect('b3', '2026-01-01')
    await countConnectedInstitutions(harness.deps.database, KEY, LONG_AGO)
    await countConnectedInstitutions(harness.deps.database, KEY, new Date('2026-06-01'))
    expect((await firstOnes()).at(0)).toBe('Alder Bank')
  })

  it('are not counted at another provider', async () => {
    await connect('b3', '2026-01-01')
    await countConnectedInstitutions(harness.deps.database, 'mx', LONG_AGO)
    expect((await firstOnes()).at(0)).toBe('Alder Bank')
  })

  it('also come first among the matches of a name', async () => {
    await connect('b2', '2026-01-01')
    await countConnectedInstitutions(harness.deps.database, KEY, LONG_AGO)
    expect(await firstOnes('bank')).toEqual(['Cedar Bank!', 'Alder Bank', 'Birch Bank', 'Douglas Bank'])
  })

  it('stay as of the nightly update until the next one', async () => {
    await connect('b2', '2026-01-01')
    expect((await firstOnes()).at(0)).toBe('Alder Bank')
  })
})
