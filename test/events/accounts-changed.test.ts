import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeEvents } from '../../src/api/schemas/event-bodies.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import { type AccountChange, MAX_BODY_BYTES } from '../../src/model/events.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { schemaValidator } from '../harness/test-answers.ts'
import { readAccounts } from '../reconnect/owner.ts'
import { openSyncHarness } from '../sync/harness.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

interface Body {
  Identifier: string
  Data: { ChangeCount: number; Part: number; IsLastPart: boolean; Changes: AccountChange[] }
}

const bank = new ScriptedSource('bank', 'Banking')
const CHEQUING = { id: 'a', name: 'Chequing', balance: '10.50' }
const SAVINGS = { id: 'b', name: 'Savings', balance: '12345678901234567.10' }
const CARD = { id: 'c', name: 'Card', balance: '3.00' }
const LOAN = { id: 'd', name: 'Loan', balance: '4.00' }
const harness = openForTests(() => openSyncHarness([bank]))
let id: string

const scope = () => ({ instanceId: harness.instanceId, companyId: harness.companyId, serviceId: toServiceId('bank') })

beforeAll(() => {
  harness.deps.readLeaseMs = 0
})
beforeEach(async () => {
  bank.accounts = [CHEQUING, SAVINGS, CARD, LOAN]
  id = await harness.connect(bank)
  await harness.sync(id, { reason: 'first', isAwaited: true })
  await harness.deps.database.query('delete from events')
  return async () => {
    await disconnect(harness.deps, scope())
    await harness.erase(id)
    await harness.deps.database.query('delete from events')
  }
})

async function eventBodies(): Promise<Body[]> {
  const { rows } = await harness.deps.database.query<{ body: string }>(
    `select body from events where kind = 'AccountsChanged' order by created_at`,
  )
  return rows.map(({ body }) => JSON.parse(body))
}

const changes = async () => (await eventBodies()).flatMap((body) => body.Data.Changes)

describe('AccountsChanged', () => {
  it('has the old and new values of a changed account, and no unchanged ones', async () => {
    bank.accounts = [CHEQUING, { ...SAVINGS, balance: '12345678901234567.11' }, CARD, LOAN]
    await harness.sync(id)
    expect(await changes()).toEqual([
      {
        AccountId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        OrigId: 'b',
        Change: 'Changed',
        Before: { actualBalance: '12345678901234567.1' },
        After: { actualBalance: '12345678901234567.11' },
      },
    ])
  })

  it('reports added, removed and restored accounts, all under the same id', async () => {
    bank.accounts = [CHEQUING, SAVINGS, CARD]
    await harness.sync(id)
    bank.accounts = [CHEQUING, SAVINGS, CARD, LOAN, { id: 'e', name: 'New', balance: '1.00' }]
    await harness.sync(id)
    const [gone, ...others] = await changes()
    expect(gone).toMatchObject({
      OrigId: 'd',
      Change: 'Deleted',
      Before: { accountName: 'Loan', accountStatusSystem: 'ACTIVE' },
      After: null,
    })
    const [created, restored] = [...others].sort((a, b) => a.Change.localeCompare(b.Change))
    expect(created).toMatchObject({ OrigId: 'e', Change: 'Created', Before: null, After: { accountName: 'New', actualBalance: '1' } })
    expect(restored).toMatchObject({ AccountId: gone?.AccountId, Change: 'Restored', Before: null, After: { accountName: 'Loan' } })
  })

  it('is not raised by the first data of a connection, nor by a refresh without changes', async () => {
    await harness.sync(id, { isAwaited: true })
    expect(await eventBodies()).toEqual([])
    await disconnect(harness.deps, scope())
    await harness.erase(id)
    id = await harness.connect(bank)
    await harness.sync(id, { reason: 'first' })
    expect(await eventBodies()).toEqual([])
  })

  it('is not raised by a run that could not publish', async () => {
    bank.accounts = [{ ...CHEQUING, name: 'Never' }, SAVINGS, CARD, LOAN]
    const { database } = harness.deps
    bank.beforeFetch = async () => {
      bank.beforeFetch = null
      await database.query(`update sync_runs set fence = fence + 1 where state = 'running'`)
    }
    await harness.sync(id)
    expect(await eventBodies()).toEqual([])
    await harness.sync(id)
    expect(await changes()).toHaveLength(1)
  })

  it('can be read as soon as the data can, and vice versa', async () => {
    const { deps } = harness
    for (let round = 0; round < 10; round += 1) {
      bank.accounts = [{ ...CHEQUING, balance: `${round}.25` }, SAVINGS, CARD, LOAN]
      let isDone = false
      const run = harness.sync(id).finally(() => {
        isDone = true
      })
      while (!isDone) {
        const events = (await changes()).length
        const [account] = (await readAccounts(deps, scope())).filter(({ origId }) => origId === 'a')
        const after = (await changes()).length
        const isNew = account?.actualBalance === round + 0.25
        if (events === round + 1) expect(isNew, 'an event before its data').toBe(true)
        if (isNew) expect(after, 'data without its event').toBe(round + 1)
      }
      await run
    }
    expect(await changes()).toHaveLength(10)
  })

  it('matches its description in the API', async () => {
    bank.accounts = [{ ...CHEQUING, name: 'Other' }, SAVINGS, CARD, { ...LOAN, id: 'new' }]
    await harness.sync(id)
    const described = describeEvents().AccountsChanged as { post: { requestBody: { content: Record<string, { schema: object }> } } }
    const validate = schemaValidator().compile(described.post.requestBody.content['application/json']?.schema ?? {})
    for (const body of await eventBodies()) {
      validate({ ...body, Signature: 'ab' })
      expect(validate.errors ?? []).toEqual([])
    }
  })

  it('is split if one body cannot hold all changes, each of which is reported once', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => ({ id: `m${i}`, name: `Account ${i}`, balance: '1.00' }))
    bank.accounts = many
    await harness.sync(id)
    await harness.deps.database.query('delete from events')
    bank.accounts = many.map((account) => ({ ...account, balance: '2.00' }))
    await harness.sync(id)
    const bodies = await eventBodies()
    const all = bodies.flatMap(({ Data }) => Data.Changes)
    expect(new Set(all.map(({ AccountId }) => AccountId)).size).toBe(all.length)
    expect(bodies.map(({ Data }) => [Data.ChangeCount, Data.Part, Data.IsLastPart])).toEqual(
      bodies.map((_, i) => [1_200, i + 1, i === bodies.length - 1]),
    )
    expect(all).toHaveLength(1_200)
    const sizes = bodies.map((body) => [Buffer.byteLength(JSON.stringify(body)), body.Data.Changes.length])
    expect(sizes.filter(([bytes = 0, count = 0]) => bytes > MAX_BODY_BYTES || count > 500)).toEqual([])
  })

  it('truncates texts too long for any body', async () => {
    bank.accounts = [{ ...CHEQUING, name: '😀\u0001'.repeat(100_000) }, SAVINGS, CARD, LOAN]
    await harness.sync(id)
    const [change] = await changes()
    expect(change?.After?.accountName).toMatch(/^😀.*…$/su)
    expect(change?.Before).toEqual({ accountName: 'Chequing' })
  })
})
