import { describe, expect, test } from 'vitest'
import { waveConnector } from '../../../src/connectors/wave/client.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, itemsOf, listPages, mapperOf, pullNamed, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTIST, GIANT, openHarness, SHOP } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(waveConnector)
const mapItem = mapperOf(waveConnector)
const LOGINS: Record<string, string> = { [SHOP]: 'elodie', [DENTIST]: 'priya', [GIANT]: 'load' }

async function open(businessId: string, options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  const grant = await connect(harness, { businessId, login: LOGINS[businessId] ?? '' })
  return { harness, session: sessionOf(harness, grant) }
}

function idsOf(items: { origId: string | null }[]): Set<string | null> {
  return new Set(items.map(({ origId }) => origId))
}

describe('pulling accounts', () => {
  test.each([
    [SHOP, 70, 4],
    [DENTIST, 51, 3],
  ])('all accounts of business %s are listed in one call, including archived ones', async (businessId, count, archived) => {
    const { harness, session } = await open(businessId)
    const before = harness.simulator.listRequests().length
    const items = itemsOf(await listPages(session, accounts), accounts)
    expect(items).toHaveLength(count)
    expect(items.filter((item) => Object(item).wire.isArchived === true)).toHaveLength(archived)
    expect(harness.simulator.listRequests()).toHaveLength(before + 1)
  })

  test('only the unknown enum value is reported', async () => {
    const { session } = await open(SHOP)
    const unmapped = itemsOf(await listPages(session, accounts), accounts).flatMap((item) => mapItem(item).unmapped)
    expect(unmapped).toEqual(['typeSystem=DIGITAL_TOKENS'])
  })

  test.each([1, 200, 201, 1000])('%i accounts are listed over all pages without a gap', async (count) => {
    const { session } = await open(GIANT, { giantAccounts: count })
    const items = itemsOf(await listPages(session, accounts), accounts)
    expect([items.length, idsOf(items).size]).toEqual([count, count])
  })

  test('an account added during the listing hides no others', async () => {
    const { harness, session } = await open(GIANT, { giantAccounts: 700 })
    const pages = await listPages(session, accounts, (page) => {
      if (page === 1) harness.simulator.addAccount(GIANT, { name: 'New' })
    })
    expect(idsOf(itemsOf(pages, accounts)).size).toBe(701)
  })

  test('an empty page within a list restarts it, at its end it is bad data', async () => {
    const large = await open(GIANT, { giantAccounts: 700 })
    large.harness.simulator.fault('lostPage')
    expect(idsOf(itemsOf(await listPages(large.session, accounts), accounts)).size).toBe(700)
    const small = await open(SHOP)
    small.harness.simulator.fault('lostPage')
    expect((await failureOf(listPages(small.session, accounts))).kind).toBe('badData')
  })

  test('an edit at the source is in the next listing, as a newer version', async () => {
    const { harness, session } = await open(SHOP)
    const [first] = itemsOf(await listPages(session, accounts), accounts)
    const id = first?.origId ?? ''
    harness.simulator.editAccount(SHOP, id, { name: 'Renommé', isArchived: true })
    const after = Object(itemsOf(await listPages(session, accounts), accounts).find(({ origId }) => origId === id))
    expect(after.wire).toMatchObject({ name: 'Renommé', isArchived: true })
    expect(after.version > Object(first).version).toBe(true)
  })

  test('an account deleted at the source is missing from the next complete listing', async () => {
    const { harness, session } = await open(SHOP)
    const [first] = itemsOf(await listPages(session, accounts), accounts)
    harness.simulator.removeAccount(SHOP, first?.origId ?? '')
    expect(itemsOf(await listPages(session, accounts), accounts)).toHaveLength(69)
    expect((await accounts.fetch(session, null)).listing).toBe('complete')
  })
})

describe('faults of a pull', () => {
  test('a cursor of another connector is bad data', async () => {
    const { session } = await open(SHOP)
    expect((await failureOf(accounts.fetch(session, { position: 1 }))).kind).toBe('badData')
  })

  test('a business of another token is not accessible with this one', async () => {
    const { session } = await open(SHOP)
    expect((await failureOf(accounts.fetch({ ...session, entityId: DENTIST }, null))).kind).toBe('reconnect')
  })
})
