import { describe, expect, test } from 'vitest'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { freshbooksConnector } from '../../../src/connectors/freshbooks/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { BUILDER, openHarness, STUDIO } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const mapItem = mapperOf(freshbooksConnector)
const pull = pullNamed(freshbooksConnector)

async function open(options: Parameters<typeof openHarness>[0] = {}, login = 'grace') {
  const harness = await newHarness(options)
  const session = sessionOf(harness, await connect(harness, { login }))
  const list = async (): Promise<SourceItem[]> => [...pull.read((await pull.fetch(session, null)).answers)]
  return { harness, session, list }
}

describe('pulling accounts', () => {
  test('all accounts are listed in one complete page, including archived ones', async () => {
    const { session } = await open()
    const page = await pull.fetch(session, null)
    const records = [...pull.read(page.answers)].map(mapItem)
    expect(page).toMatchObject({ next: null, listing: 'complete' })
    expect(records).toHaveLength(85)
    expect(records.filter(({ statusSystem }) => statusSystem === 'ARCHIVED').map(({ name }) => name)).toEqual([
      'Old Fifth Third checking',
      'Loan to officer',
      'Skid steer (sold 2023)',
      'Gift certificates',
      'Snow removal (ended)',
      'Uncategorized',
    ])
  })

  test('only values that FreshBooks never published are counted as unknown', async () => {
    const { list } = await open()
    expect((await list()).flatMap((item) => mapItem(item).unmapped)).toEqual(['typeSystem=Digital Asset', 'typeSystem=Contract Liability'])
  })

  test('every account, archived ones too, has the currency of its business', async () => {
    const { harness, session, list } = await open({}, 'nora')
    const currencies = async (of: () => Promise<SourceItem[]>) => [...new Set((await of()).map((item) => mapItem(item).currency))]
    const studio = async () => [...pull.read((await pull.fetch({ ...session, entityId: STUDIO }, null)).answers)]
    expect([await currencies(list), await currencies(studio)]).toEqual([['USD'], ['CAD']])
    expect(harness.simulator.accountsOf(STUDIO).some(({ state }) => state === 'archived')).toBe(true)
  })

  test('a login that may not read reports still reads its accounts; their currency is counted as unknown', async () => {
    const { harness, list } = await open()
    harness.simulator.fault('reportForbidden')
    const records = (await list()).map(mapItem)
    expect([records.length, new Set(records.map(({ currency }) => currency))]).toEqual([85, new Set([''])])
    expect(records.filter(({ unmapped }) => unmapped.includes('currency=not told'))).toHaveLength(85)
  })

  test('accents are preserved', async () => {
    const { list } = await open()
    const names = (await list()).map(mapItem).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Note to José Martínez', 'Historic façade restoration', 'Owner’s Equity']))
  })

  test('20,000 accounts are read in one page', async () => {
    const { list } = await open({}, 'load')
    const items = await list()
    expect(new Set(items.map(({ origId }) => origId)).size).toBe(20_000)
    expect(items.flatMap((item) => mapItem(item).unmapped)).toEqual([])
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('vanished')
    const page = await pull.fetch(session, null)
    expect([page.listing, [...pull.read(page.answers)]]).toEqual(['complete', []])
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, list } = await open()
    const find = async (uuid: string) => Object((await list()).find(({ origId }) => origId === uuid))
    const { origId } = Object((await list())[2])
    const before = await find(origId)
    harness.simulator.editAccount(BUILDER, origId, { name: 'Renommé', state: 'archived' })
    const after = await find(origId)
    expect(after.wire).toMatchObject({ name: 'Renommé', state: 'archived' })
    expect(after.version > before.version).toBe(true)
  })

  test('an account deleted at the source is missing from the next complete listing, an added one is in it', async () => {
    const { harness, list } = await open()
    const { origId } = Object((await list())[7])
    harness.simulator.removeAccount(BUILDER, origId)
    const added = harness.simulator.addAccount(BUILDER, { name: 'New', number: '1006', type: 'asset', sub_type: 'Cash & Bank' })
    const ids = (await list()).map((item) => item.origId)
    expect([ids.includes(origId), ids.includes(added.uuid), ids.length]).toEqual([false, true, 85])
  })
})

describe('faults of a pull', () => {
  test('a business of another user is not accessible', async () => {
    const { session } = await open({}, 'load')
    expect((await failureOf(pull.fetch({ ...session, entityId: BUILDER }, null))).kind).toBe('reconnect')
  })
})
