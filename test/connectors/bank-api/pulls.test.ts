import { afterEach, describe, expect, it } from 'vitest'
import type { FlavourName } from '../../../simulators/bank-api/index.ts'
import type { Page, Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { applyMapping } from '../../../src/sync/explain/explain.ts'
import { applyItems, sessionOf } from '../../harness/connector-calls.ts'
import { connect, type Harness, openHarness } from './harness.ts'

const DAY_MS = 86_400_000
const harnesses: Harness[] = []
afterEach(async () => {
  await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
})

async function open(flavour: FlavourName, who: 'good' | 'load' = 'good') {
  const harness = await openHarness(flavour)
  harnesses.push(harness)
  const grant = await connect(harness, who)
  harness.exchanges.splice(0)
  return { harness, grant, session: sessionOf(harness, grant) }
}

async function run({ connector }: Harness, session: Session, name: string, from: Json | null = null) {
  const pull = connector.pulls.find((each) => each.name === name)
  if (!pull) throw new Error(`unknown pull ${name}`)
  const pages: Page[] = []
  let cursor = from
  do {
    const page: Page = await pull.fetch(session, cursor)
    pages.push(page)
    cursor = page.next
  } while (cursor !== null)
  const items = pages.filter(({ answers }) => Object.keys(answers).length > 0).flatMap(({ answers }) => [...pull.read(answers)])
  return { items, pages, resume: pages.at(-1)?.resume ?? null }
}

function mapped(harness: Harness, item: SourceItem | undefined): Record<string, unknown> {
  const mapping = harness.connector.entities[item?.entity ?? 'Accounts']
  if (!mapping || !item || !('wire' in item)) throw new Error('no record')
  return Object.fromEntries(applyMapping(mapping, item.wire, new Date(0)).map(({ field, result }) => [field, result]))
}

describe('the same business at three banks', () => {
  it.each<[FlavourName]>([['harbourline'], ['peakfield'], ['granite']])(
    '%s: a loan, a card and an overdrawn account have the same meaning',
    async (flavour) => {
      const { harness, session } = await open(flavour)
      const { items } = await run(harness, session, 'accounts')
      const byId = new Map(items.map((item) => [item.origId, item]))
      expect(items).toHaveLength(13)
      expect(mapped(harness, byId.get('HL000001'))).toMatchObject({
        accountName: 'Prêt équipement',
        accountNumber: '••••0093',
        interestRate: '7.25',
        actualBalance: '48210.55',
        principalBalance: '48210.55',
        amountDue: '1140.2',
        dueDate: expect.stringMatching(/^2026-12-01T00:00:00(\.000)?\+00:00$/),
      })
      expect(mapped(harness, byId.get('HB000005'))).toMatchObject({
        actualBalance: '2130.99',
        totalCreditLine: '15000',
        availableCredit: '12869.01',
      })
      expect(mapped(harness, byId.get('HB000002')).actualBalance).toBe('-142.3')
      expect(mapped(harness, byId.get('HB000007')).accountStatusSystem).toBe('INACTIVE')
      expect(mapped(harness, byId.get('HB000006')).actualBalance).toBe('1250000')
    },
  )

  it.each<[FlavourName]>([['harbourline'], ['peakfield'], ['granite']])(
    '%s: no full account number leaves the connector',
    async (flavour) => {
      const { harness, session } = await open(flavour)
      const { items } = await run(harness, session, 'accounts')
      expect(items.map((item) => JSON.stringify(mapped(harness, item))).filter((text) => /0041770\d{7}|5412\d{12}/.test(text))).toEqual([])
    },
  )
})

describe('accounts', () => {
  it('without details are delivered nevertheless', async () => {
    const { harness, session } = await open('harbourline')
    harness.simulator.fault('noDetails')
    const { items } = await run(harness, session, 'accounts')
    expect(items).toHaveLength(13)
    expect(mapped(harness, items[0]).actualBalance).toBe('18240.17')
  })

  it('of many pages keep data from the first page', async () => {
    const { harness, session } = await open('harbourline', 'load')
    expect((await run(harness, session, 'accounts')).items).toHaveLength(120)
    const pages = harness.exchanges.filter(({ request }) => request.url.includes('/holdings/accounts?'))
    expect(pages.map(({ request }) => new URL(request.url).searchParams.get('page_token'))).toEqual([null, 'tok-120-50', 'tok-120-50'])
  })

  it('are not requested from another host, whatever the bank says', async () => {
    const { harness, session } = await open('granite', 'load')
    harness.simulator.fault('otherHost')
    await expect(run(harness, session, 'accounts')).rejects.toMatchObject({ kind: 'badData' })
    expect(harness.exchanges.every(({ request }) => request.url.startsWith(harness.url))).toBe(true)
  })
})

describe('transactions', () => {
  it.each<[FlavourName]>([['harbourline'], ['peakfield']])(
    '%s: pending ones that are booked under another id are not duplicated',
    async (flavour) => {
      const { harness, session, grant } = await open(flavour)
      const first = await run(harness, session, 'transactions')
      const before = applyItems(new Map(), first.items)
      const pending = [...before.keys()].filter((id) => id.endsWith('-memo'))
      expect(pending.length).toBeGreaterThan(0)
      harness.moveTime(3 * DAY_MS)
      const credentials = (await harness.connector.refreshCredentials?.(harness.kit, grant.credentials)) ?? grant.credentials
      const later = await run(harness, { ...session, credentials }, 'transactions', first.resume)
      const after = applyItems(new Map(before), later.items)
      expect(pending.filter((id) => after.has(id) || !after.has(id.replace('-memo', '')))).toEqual([])
      expect(later.items.length).toBeLessThan(first.items.length / 4)
    },
  )

  it('that the bank removes within the overlap are removals', async () => {
    const { harness, session } = await open('harbourline')
    const first = await run(harness, session, 'transactions')
    const newest = first.items.find((item) => 'wire' in item && !item.origId.endsWith('-memo'))?.origId ?? ''
    harness.simulator.remove(newest)
    const later = await run(harness, session, 'transactions', first.resume)
    expect(later.items).toContainEqual({ entity: 'Transactions', origId: newest, removed: true })
  })

  it('of an account that appears later are read completely', async () => {
    const { harness, session } = await open('harbourline')
    const { resume, items } = await run(harness, session, 'transactions')
    const { HB000001: _gone, ...recent } = (resume as { recent: Record<string, string[]> }).recent
    const again = await run(harness, session, 'transactions', { ...(resume as object), recent } as Json)
    const of = (all: readonly SourceItem[]) =>
      all.filter((item) => 'wire' in item && JSON.stringify(item.wire).includes('"HB000001"')).length
    expect(of(again.items)).toBe(of(items))
  })

  it('that each run lists completely are a complete listing, without a cursor', async () => {
    const { harness, session } = await open('granite')
    const { pages, resume } = await run(harness, session, 'transactions')
    expect([new Set(pages.map(({ listing }) => listing)), resume]).toEqual([new Set(['complete']), null])
  })
})

describe('an explanation', () => {
  it('of a field shows the rule of the profile and the value it read', async () => {
    const { harness, session } = await open('harbourline')
    const { items } = await run(harness, session, 'accounts')
    const loan = items.find(({ origId }) => origId === 'HL000001')
    const mapping = harness.connector.entities.Accounts
    const fields = loan && 'wire' in loan ? applyMapping(mapping, loan.wire, new Date(0)) : []
    const balance = fields.find(({ field }) => field === 'actualBalance')
    expect(balance?.code).toBe('profile, list loans: {"from":"/totalOutstanding","sign":"turned"}')
    expect(balance?.reads).toContainEqual({ path: '/row/totalOutstanding', found: 'value', value: '-48210.55' })
    expect(fields.find(({ field }) => field === 'availableCredit')?.code).toBe('no rule of list loans in the profile')
    expect(fields.flatMap(({ reads }) => reads.map(({ path }) => path)).filter((path) => !/^\/row(\/|$)/.test(path))).toEqual([])
  })
})
