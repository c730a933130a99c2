import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { businessCentralConnector } from '../../../src/connectors/business-central/client.ts'
import type { SourceItem } from '../../../src/connectors/contract/contract.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { failureOf, idsOf, pullNamed, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { connect } from '../../harness/redirect.ts'
import { DENTAL, openHarness } from './harness.ts'

const newHarness = closedAfterEach(openHarness)
const accounts = pullNamed(businessCentralConnector, 'accounts')

async function open(login = 'erin', options: Parameters<typeof openHarness>[0] = {}) {
  const harness = await newHarness(options)
  return { harness, session: sessionOf(harness, await connect(harness, { login })) }
}

describe('pulling accounts', () => {
  test.each([
    ['erin', 90],
    ['luc', 52],
  ])('all rows of %s’s chart are listed, including headings and blocked accounts', async (login, count) => {
    const { session } = await open(login)
    const items = (await runPull(session, accounts)).items
    expect(items).toHaveLength(count)
    const rows = items.map((item) => ('wire' in item ? Object(item.wire).account : {}))
    expect(rows.filter(({ blocked }) => blocked === true)).not.toEqual([])
    expect(rows.filter(({ accountType }) => accountType === 'Begin_x002D_Total')).not.toEqual([])
  })

  test('every account matches the wire schema and carries the local currency of the company', async () => {
    const { session } = await open()
    const isWire = Compile(businessCentralConnector.entities.Accounts.wire)
    const items = (await runPull(session, accounts)).items
    const wrong = items.filter((item) => !('wire' in item) || !isWire.Check(item.wire) || Object(item.wire).currencyCode !== 'CAD')
    expect(wrong).toEqual([])
  })

  test.each([4_999, 5_000, 5_001, 20_000])('%i accounts are listed over all pages without a gap', async (count) => {
    const { session } = await open('load', { giantAccounts: count })
    const run = await runPull(session, accounts)
    expect(run.pages).toHaveLength(Math.ceil(count / 5_000))
    expect(new Set(idsOf(run.items)).size).toBe(count)
  })

  test('an empty chart is an empty, complete listing', async () => {
    const { session } = await open()
    const kit = { ...session.kit, http: async () => ({ status: 200, headers: {}, body: Buffer.from('{"value":[]}') }) }
    const run = await runPull({ ...session, kit }, accounts)
    expect([run.items, run.last.listing]).toEqual([[], 'complete'])
  })

  test('an expired page link restarts the listing', async () => {
    const { harness, session } = await open('load', { giantAccounts: 12_000 })
    harness.simulator.fault('expiredLink')
    expect(new Set(idsOf((await runPull(session, accounts)).items)).size).toBe(12_000)
  })

  test('an edit at the source is in the next listing as a newer version, a deleted account is not', async () => {
    const { harness, session } = await open()
    const before = (await runPull(session, accounts)).items
    const edited = harness.simulator.editAccount(DENTAL, '10120', { displayName: 'Renommé', blocked: true })
    harness.simulator.removeAccount(DENTAL, '60990')
    const after = (await runPull(session, accounts)).items
    const versionIn = (items: SourceItem[]) => Object(items.find(({ origId }) => origId === edited.id)).version
    expect(versionIn(after) > versionIn(before)).toBe(true)
    expect(after).toHaveLength(before.length - 1)
  })
})

describe('faults of a pull', () => {
  test.each([
    ['html', 'badData'],
    ['truncated', 'badData'],
    ['empty', 'badData'],
    ['unavailable', 'unavailable'],
  ])('%s on a later page is %s and never an end of the list', async (fault, kind) => {
    const { harness, session } = await open('load', { giantAccounts: 12_000 })
    const arm = () => harness.simulator.fault(fault, 100)
    expect((await failureOf(runPull(session, accounts, null, arm))).kind).toBe(kind)
  })

  test('a failure names the code and the correlation id that Microsoft’s support asks for', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('companyGone')
    expect((await failureOf(accounts.fetch(session, null))).message).toMatch(
      /404 .*Internal_CompanyNotFound, CorrelationId [0-9a-f-]{36}\)/,
    )
  })
})
