import { describe, expect, it } from 'vitest'
import { bannoConnector } from '../../../src/connectors/banno/client.ts'
import type { Session, SourceItem } from '../../../src/connectors/contract/contract.ts'
import type { Json } from '../../../src/model/values/json.ts'
import { closedAfterEach } from '../../harness/connector.ts'
import { applyItems, pullNamed, runPull, sessionOf } from '../../harness/connector-calls.ts'
import { connect, refresh } from '../../harness/redirect.ts'
import { openHarness } from './harness.ts'

const DAY_MS = 86_400_000
const CHECKING = 'a1000000-33d9-4c18-b524-e27890cd0001'
const newHarness = closedAfterEach(openHarness)

async function open(login = 'maren', giantAccounts = 2) {
  const harness = await newHarness({ giantAccounts })
  const grant = await connect(harness, { login })
  harness.exchanges.splice(0)
  return { harness, grant, session: sessionOf(harness, grant) }
}

const run = (session: Session, name: string, from: Json | null = null) => runPull(session, pullNamed(bannoConnector, name), from)

const held = (known: ReadonlyMap<string, unknown>, items: readonly SourceItem[]) => applyItems(new Map(known), items)

describe('accounts', () => {
  it('are first fetched from the bank’s core, polling the task until it ends', async () => {
    const { harness, session } = await open()
    await run(session, 'accounts')
    const paths = harness.exchanges.map(({ request }) => `${request.method ?? 'GET'} ${new URL(request.url).pathname.split('/').at(-1)}`)
    expect(paths[0]).toBe('PUT fetch')
    expect(paths.at(-1)).toBe('GET accounts')
    expect(paths.filter((path) => path.startsWith('GET task-'))).toHaveLength(3)
  })

  it('are the bank’s existing ones if its task does not end', async () => {
    const { harness, session } = await open()
    harness.simulator.fault('taskNeverEnds', 1_000)
    expect((await run(session, 'accounts')).items).toHaveLength(11)
    expect(harness.exchanges).toHaveLength(1 + 8 + 1)
  })

  it('of another bank in the same login name that bank', async () => {
    const { session } = await open()
    const names = (await run(session, 'accounts')).items.map((item) =>
      'wire' in item ? (item.wire as { institution: { name: string } }).institution.name : '',
    )
    expect(new Set(names).size).toBe(2)
  })
})

describe('transactions', () => {
  it('are first requested for two years, later by what changed', async () => {
    const { harness, session } = await open()
    const first = await run(session, 'transactions')
    harness.exchanges.splice(0)
    const later = await run(session, 'transactions', first.resume)
    const queries = harness.exchanges.flatMap(({ request }) =>
      request.url.includes('/transactions?') ? [new URL(request.url).searchParams] : [],
    )
    expect(queries.every((query) => query.has('updatedSince') && !query.has('since'))).toBe(true)
    expect(later.items.filter((item) => 'wire' in item).length).toBeLessThan(first.items.length / 5)
  })

  it('of an account that appears later are read completely', async () => {
    const { session } = await open()
    const { resume, items } = await run(session, 'transactions')
    const known = (resume as { updatedSince: string; known: string[] }).known.filter((id) => id !== CHECKING)
    const again = await run(session, 'transactions', { ...(resume as object), known } as Json)
    const ofChecking = (each: SourceItem) => 'wire' in each && (each.wire as { account: string }).account === CHECKING
    expect(again.items.filter(ofChecking).length).toBe(items.filter(ofChecking).length)
  })

  it('that were pending and are booked under another id are not duplicated', async () => {
    const { harness, grant, session } = await open()
    const first = await run(session, 'transactions')
    const before = held(new Map(), first.items)
    const pending = [...before.keys()].filter((id) => id.endsWith('-memo'))
    expect(pending.length).toBeGreaterThan(0)
    harness.moveTime(3 * DAY_MS)
    const credentials = await refresh(harness, grant.credentials)
    const later = await run({ ...session, credentials }, 'transactions', first.resume)
    const after = held(before, later.items)
    expect(pending.filter((id) => after.has(id))).toEqual([])
    expect(pending.filter((id) => !after.has(id.replace('-memo', '')))).toEqual([])
    const whole = held(new Map(), (await run({ ...session, credentials }, 'transactions')).items)
    expect([...after.keys()].sort()).toEqual([...whole.keys()].sort())
  })

  it('that the bank removes are removals', async () => {
    const { harness, session } = await open()
    const first = await run(session, 'transactions')
    const gone = first.items.find((item) => 'wire' in item && (item.wire as { account: string }).account === CHECKING)?.origId ?? ''
    harness.simulator.remove('maren', CHECKING, gone)
    const later = await run(session, 'transactions', first.resume)
    expect(later.items).toContainEqual({ entity: 'Transactions', origId: gone, removed: true })
  })

  it('of many pages are all read, each once', async () => {
    const { session, pages } = await open('load', 1).then(async ({ session: live }) => ({
      session: live,
      ...(await run(live, 'transactions')),
    }))
    const ids = (await run(session, 'transactions')).items.flatMap((item) => ('wire' in item ? [item.origId] : []))
    expect(pages).toHaveLength(2)
    expect(ids.length - new Set(ids).size).toBe(25)
    expect(new Set(ids).size).toBe(638)
  })

  it('of a repeated page are bad data', async () => {
    const { harness, session } = await open('load', 1)
    harness.simulator.fault('repeatPage')
    await expect(run(session, 'transactions')).rejects.toMatchObject({ kind: 'badData' })
  })
})
