import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SourceError } from '../../src/connectors/contract/contract.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { Status } from '../../src/model/statuses.ts'
import { listTimeline } from '../../src/store/connections/connection-timeline.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import { disconnect, suspend } from '../../src/sync/connection/connection-actions.ts'
import { runsOf } from '../harness/app/runs.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { openForTests } from '../harness/for-tests.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { authorize, readAccounts, readMovements } from './owner.ts'
import { type ListedAccount, type Login, RelinkedBank } from './relinked-bank.ts'

const bank = new RelinkedBank()
const harness = openForTests(() => openSyncHarness([], [bank.description]))
let scope: RecordScope
let reference = 0

beforeAll(() => {
  harness.deps.readLeaseMs = 0
})
beforeEach(async () => {
  const companyId = crypto.randomUUID()
  scope = { instanceId: harness.instanceId, companyId, serviceId: toServiceId('relinked-bank') }
  await addCompany(harness.deps.database, harness.instanceId, { id: companyId })
  bank.accountsLast = false
})

const CHEQUING = {
  mask: '1234',
  kind: 'checking',
  name: 'Operations',
  officialName: 'Business Operating',
  currency: 'CAD',
  balance: '10.50',
}
const SAVINGS = { mask: '5678', kind: 'savings', name: 'Reserve', officialName: 'Business Reserve', currency: 'CAD', balance: '99.00' }

/** Opens a login with new ids: the given accounts, each with transactions on the given days. */
function open(accounts: Partial<ListedAccount>[], days: string[] = ['2026-11-01', '2026-11-02', '2026-11-02']): Login {
  reference += 1
  const listed = accounts.map((account, i) => ({ ...CHEQUING, persistentId: null, id: `r${reference}-a${i}`, ...account }))
  const changes = listed.flatMap((account) =>
    days.map((day, i) => ({
      change: 'set' as const,
      movement: { id: `${account.id}-m${i}`, accountId: account.id, day, amount: '-4.50', description: 'COFFEE', pending: false },
    })),
  )
  const login = { entity: { id: 'caisse', name: 'Caisse' }, reference: `login-${reference}`, accounts: listed, changes }
  bank.logins.set(login.reference, login)
  bank.chosen = login.reference
  return login
}

async function connect(login: Login): Promise<string> {
  bank.chosen = login.reference
  const id = await authorize(harness.deps, scope)
  await harness.sync(id)
  return id
}

const accounts = async (view = {}) => await readAccounts(harness.deps, scope, view)
const movements = async (view = {}) => await readMovements(harness.deps, scope, view)
/** Everything readable, except the time of fetching. */
const everything = async () => [await accounts(), await movements()].map((list) => list.map((one) => ({ ...one, lastUpdatedOn: '' })))
const lastRun = async (id: string) => (await runsOf(harness, id, 1))[0]

describe('a relink that changes every account’s id', () => {
  it('continues with the same connection, accounts and transactions, and finds nothing new', async () => {
    const id = await connect(open([CHEQUING, SAVINGS]))
    const before = [await accounts(), await movements()]
    expect(await connect(open([CHEQUING, SAVINGS]))).toBe(id)
    expect([await accounts(), await movements()]).toEqual(before)
    expect(await lastRun(id)).toMatchObject({ reason: 'reconnect', state: 'unchanged', counts: { reidentified: 2, unclear: 0 } })
  })

  it('recognizes accounts in another order, renamed and with another balance', async () => {
    await connect(open([CHEQUING, SAVINGS]))
    const before = await accounts()
    await connect(
      open([
        { ...SAVINGS, name: 'Rainy days', officialName: null },
        { ...CHEQUING, balance: '11.00' },
      ]),
    )
    const after = await accounts()
    expect(after.map(({ origId }) => origId).sort()).toEqual(before.map(({ origId }) => origId).sort())
    expect(after.find(({ accountNumber }) => accountNumber === '••••5678')).toMatchObject({ accountName: 'Rainy days' })
  })

  it('trusts the persistent id above all other properties', async () => {
    await connect(
      open([
        { ...CHEQUING, persistentId: 'p-1' },
        { ...CHEQUING, persistentId: 'p-2', balance: '2.00' },
      ]),
    )
    const before = await accounts()
    await connect(
      open([
        { ...CHEQUING, persistentId: 'p-2', balance: '2.00' },
        { ...SAVINGS, persistentId: 'p-1', balance: '10.50' },
      ]),
    )
    const byBalance = (list: typeof before) => new Map(list.map(({ actualBalance, origId }) => [actualBalance, origId]))
    expect(byBalance(await accounts())).toEqual(byBalance(before))
  })

  it('survives many relinks, including transactions added after them', async () => {
    const id = await connect(open([CHEQUING]))
    const before = await movements()
    await connect(open([CHEQUING]))
    const third = open([CHEQUING])
    await connect(third)
    expect(await movements()).toEqual(before)
    const [account] = third.accounts
    const fresh = { id: 'new-1', accountId: account?.id ?? '', day: '2026-11-05', amount: '-7.00', description: 'TEA', pending: false }
    third.changes.push({ change: 'set', movement: fresh })
    await harness.sync(id)
    const after = await movements()
    expect(after).toHaveLength(4)
    expect(new Set(after.map(({ accountOrigId }) => accountOrigId))).toEqual(new Set((await accounts()).map(({ origId }) => origId)))
    third.changes.push({ change: 'removed', id: third.changes.flatMap((c) => (c.change === 'set' ? [c.movement.id] : []))[0] ?? '' })
    await harness.sync(id)
    expect(await movements()).toHaveLength(3)
  })

  it('keeps history from before the new login’s, and ends accounts it no longer lists', async () => {
    await connect(open([CHEQUING], ['2024-01-05', '2026-11-01', '2026-11-02', '2026-11-03']))
    const before = await movements()
    await connect(open([CHEQUING], ['2026-11-01', '2026-11-03']))
    const after = await movements()
    expect(after.map(({ postedOn }) => postedOn).sort()).toEqual(['2024-01-05', '2026-11-01', '2026-11-03'])
    expect(after.every((one) => before.some((other) => other.id === one.id))).toBe(true)
  })

  it('recognizes transactions that the source lists in a later run only', async () => {
    const id = await connect(open([CHEQUING]))
    const before = await movements()
    const late = open([CHEQUING])
    const told = late.changes.splice(0)
    await connect(late)
    expect(await movements()).toEqual(before)
    late.changes.push(...told)
    await harness.sync(id)
    expect(await movements()).toEqual(before)
  })

  it('removes a pending transaction of the old login if the new one has booked it', async () => {
    const first = open([CHEQUING], ['2026-11-01'])
    const [account] = first.accounts
    const pending = { id: 'p', accountId: account?.id ?? '', day: '2026-11-02', amount: '-9.00', description: 'HOTEL', pending: true }
    first.changes.push({ change: 'set', movement: pending })
    await connect(first)
    await connect(open([CHEQUING], ['2026-11-01', '2026-11-03']))
    expect((await movements()).map(({ postedOn, isPending }) => [postedOn, isPending])).toEqual([
      ['2026-11-01', false],
      ['2026-11-03', false],
    ])
  })

  it('also does so if the source lists transactions before accounts', async () => {
    bank.accountsLast = true
    await connect(open([CHEQUING, SAVINGS]))
    const before = [await accounts(), await movements()]
    await connect(open([SAVINGS, CHEQUING]))
    expect([await accounts(), await movements()]).toEqual(before)
  })

  it.each([
    [[CHEQUING, SAVINGS], ', 2 accounts known again under other ids'],
    [[CHEQUING, CHEQUING, SAVINGS], ', 1 accounts known again under other ids, 2 accounts could not be told apart and were replaced'],
    [[CHEQUING, CHEQUING], ', 2 accounts could not be told apart and were replaced'],
  ])('is in the timeline of a connection that could not be read at once: %#', async (listed, words) => {
    await connect(open(listed))
    open(listed)
    const id = await authorize(harness.deps, scope)
    await harness.deps.database.query('update connections set status = $2 where id = $1', [id, Status.LoadingError])
    await harness.sync(id)
    const timeline = await listTimeline(harness.deps.database, harness.instanceId, id)
    expect(timeline.at(-1)).toMatchObject({ toStatus: Status.Synced, detail: expect.stringMatching(new RegExp(`, 0 set aside${words}$`)) })
  })

  it('does not guess: ambiguous accounts end, new ones begin, and the run reports it', async () => {
    const id = await connect(open([CHEQUING, CHEQUING, SAVINGS]))
    const before = await accounts()
    await connect(open([CHEQUING, CHEQUING, SAVINGS]))
    const after = await accounts()
    expect(after).toHaveLength(3)
    expect(after.filter(({ origId }) => before.some((one) => one.origId === origId)).map(({ accountNumber }) => accountNumber)).toEqual([
      '••••5678',
    ])
    expect(await lastRun(id)).toMatchObject({ counts: { reidentified: 1, unclear: 2 } })
    expect(await movements(), 'those of the twins are listed once').toHaveLength(9)
    expect((await accounts({ includeDeleted: true })).filter(({ accountStatusSystem }) => accountStatusSystem === 'DELETED')).toHaveLength(
      2,
    )
  })

  it('ends accounts that the new login cannot see, and restores them when it can', async () => {
    await connect(open([CHEQUING, SAVINGS, { ...SAVINGS, mask: '9999' }]))
    const before = await everything()
    await connect(open([CHEQUING]))
    expect(await accounts()).toHaveLength(1)
    await connect(open([CHEQUING, SAVINGS, { ...SAVINGS, mask: '9999' }]))
    expect(await everything()).toEqual(before)
  })

  it('is retried by the next run if the first one failed', async () => {
    const id = await connect(open([CHEQUING]))
    const before = [await accounts(), await movements()]
    bank.chosen = open([CHEQUING]).reference
    await authorize(harness.deps, scope)
    bank.faults = [new SourceError('unavailable', 'down')]
    await harness.sync(id)
    await harness.sync(id, { reason: 'schedule' })
    expect([await accounts(), await movements()]).toEqual(before)
  })
})

describe('a reconnect', () => {
  it('is refused for another entity and changes nothing', async () => {
    const login = open([CHEQUING])
    const id = await connect(login)
    const before = await findConnection(harness.deps.database, harness.instanceId, id)
    open([SAVINGS]).entity = { id: 'other-bank', name: 'Other Bank' }
    await expect(authorize(harness.deps, scope)).rejects.toThrow(EntityMismatch)
    expect(await findConnection(harness.deps.database, harness.instanceId, id)).toEqual(before)
  })

  it('with a login that shows none of the accounts is refused, and both are named by the last digits of their accounts', async () => {
    const id = await connect(open([CHEQUING]))
    const before = [await findConnection(harness.deps.database, harness.instanceId, id), await everything()]
    open([SAVINGS, { ...CHEQUING, mask: '0000' }])
    const names = { before: 'Caisse (••••1234)', now: 'Caisse (••••5678, ••••0000)' }
    await expect(authorize(harness.deps, scope)).rejects.toMatchObject(names)
    expect([await findConnection(harness.deps.database, harness.instanceId, id), await everything()]).toEqual(before)
  })

  it('with such a login that could not be checked in time publishes nothing and requires a reconnect', async () => {
    const id = await connect(open([CHEQUING]))
    const before = [await accounts(), await movements()]
    bank.faults = [new SourceError('unavailable', 'down')]
    await connect(open([SAVINGS, { ...CHEQUING, mask: '0000' }]))
    expect(await findConnection(harness.deps.database, harness.instanceId, id)).toMatchObject({ status: 8 })
    expect([await accounts(), await movements()]).toEqual(before)
    await connect(open([CHEQUING]))
    expect([await accounts(), await movements()]).toEqual(before)
    expect(await findConnection(harness.deps.database, harness.instanceId, id)).toMatchObject({
      status: 19,
      fault: null,
      reidentify: false,
    })
  })

  it('continues after a suspension', async () => {
    const id = await connect(open([CHEQUING]))
    const before = await accounts()
    await suspend(harness.deps, scope)
    expect(await connect(open([CHEQUING]))).toBe(id)
    expect(await accounts()).toEqual(before)
    expect(await findConnection(harness.deps.database, harness.instanceId, id)).toMatchObject({ status: 19 })
  })

  it('after a disconnect shows nothing from before, even while that is still being erased', async () => {
    const id = await connect(open([CHEQUING, SAVINGS]))
    await disconnect(harness.deps, scope)
    await connect(open([CHEQUING]))
    const after = [await accounts({ includeDeleted: true }), await movements({ includeDeleted: true })]
    expect(after.map((list) => list.length)).toEqual([1, 3])
    await harness.erase(id)
    expect([await accounts({ includeDeleted: true }), await movements({ includeDeleted: true })]).toEqual(after)
  })

  it('after a disconnect is a new connection whose records keep their ids, even while the old data is still being erased', async () => {
    const login = open([CHEQUING, SAVINGS])
    const id = await connect(login)
    const relinked = open([CHEQUING, SAVINGS])
    await connect(relinked)
    const before = await everything()
    await disconnect(harness.deps, scope)
    const again = await connect(relinked)
    expect(again).not.toBe(id)
    await harness.erase(id)
    expect(await everything()).toEqual(before)
  })
})
