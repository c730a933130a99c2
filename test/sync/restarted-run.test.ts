import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Page, SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import { throwForStatus } from '../../src/connectors/toolkit/http/status-failures.ts'
import { MAX_ATTEMPTS, type Outcome, retryMs } from '../../src/jobs/worker.ts'
import { requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import { answer } from '../limits/two-limiters.ts'
import { openSyncHarness, type SyncHarness } from './harness.ts'
import { ScriptedSource } from './scripted-source.ts'

const API = 'https://bank.example'

/** Lists its accounts once and then reads one by one, keeping their ids in the cursor. */
class RememberingBank extends ScriptedSource {
  override get connector() {
    const { pulls, ...rest } = super.connector
    return {
      ...rest,
      pulls: pulls.map((pull) => ({
        ...pull,
        fetch: async (...[session, cursor]: Parameters<typeof pull.fetch>): Promise<Page> => {
          const fault = this.faults.shift()
          if (fault) throw fault
          const [id, ...others] = Array.isArray(cursor) ? cursor : this.accounts.map((account) => account.id)
          const response = await session.kit.http({ url: `${API}/${String(id)}` })
          throwForStatus(session.kit, response, { source: 'The bank', what: 'an account', waitMs: 1_000 })
          return { answers: { list: Buffer.from(response.body) }, next: others.length > 0 ? others : null, listing: 'complete' }
        },
      })),
    }
  }
}

let harness: SyncHarness
let bank: RememberingBank
let id: string

beforeEach(async () => {
  bank = new RememberingBank('bank', 'Banking')
  bank.accounts = ['1', '2', '3'].map((each) => ({ id: each, name: `Account ${each}`, balance: '1.00' }))
  harness = await openSyncHarness([bank])
  harness.deps.sources = createSources([bank.description], {
    settings: {},
    simulators: {},
    createKit: (app, hosts) => ({
      ...{ app, hosts, now: () => new Date() },
      http: async ({ url }) => {
        const account = bank.accounts.find((each) => url === `${API}/${each.id}`)
        return { ...answer(account ? 200 : 404), body: Buffer.from(JSON.stringify(account ? [account] : {})) }
      },
    }),
  })
  id = await harness.connect(bank)
})
afterEach(async () => await harness.close())

/** The source fails after the first account, and the second one is closed before the retry. */
async function closeBetween(): Promise<void> {
  bank.faults = [null, new SourceError('unavailable', 'HTTP 503')]
  expect(await harness.sync(id, { reason: 'first' })).toMatchObject({ done: false, isFailure: true })
  bank.accounts = bank.accounts.filter((account) => account.id !== '2')
}

async function runs(): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ state: string }>('select state from sync_runs order by started_at')
  return rows.map(({ state }) => state)
}

async function listed(): Promise<string[]> {
  const { rows } = await harness.deps.database.query<{ id: string }>(
    'select orig_id as id from record_versions where valid_to is null order by 1',
  )
  return rows.map((row) => row.id)
}

describe('a run that remembers an account which was closed in the meantime', () => {
  it('starts over when the account is missing for the second time, and succeeds', async () => {
    await closeBetween()
    expect(await harness.sync(id, { attempt: 2 })).toMatchObject({ done: false, isFailure: true })
    expect(await harness.sync(id, { attempt: 3 })).toEqual({ done: true })
    expect([await listed(), await runs()]).toEqual([
      ['1', '3'],
      ['abandoned', 'published'],
    ])
  })

  it('is replaced by a new one when a user requests a refresh', async () => {
    await closeBetween()
    await harness.deps.database.query(
      `insert into jobs (instance_id, kind, key, payload, attempts, run_at)
       values ($1, 'sync', 'connection/' || $2::text, jsonb_build_object('connectionId', $2::text, 'reason', 'first'), 1, clock_timestamp() + interval '1 hour')`,
      [harness.instanceId, id],
    )
    await requestRefresh(harness.deps, harness.scopeOf(bank))
    const { rows } = await harness.deps.database.query(
      `select attempts, run_at <= clock_timestamp() as "isDue" from jobs where kind = 'sync' and state = 'ready'`,
    )
    expect(rows).toEqual([{ attempts: 0, isDue: true }])
    expect(await harness.sync(id)).toEqual({ done: true })
    expect([await listed(), await runs()]).toEqual([
      ['1', '3'],
      ['abandoned', 'published'],
    ])
  })
})

it('a run that waits for a pause of its source continues where it is when a user requests a refresh', async () => {
  bank.faults = [null, new SourceError('rateLimited', 'day limit', { retryAfterMs: 3_600_000 })]
  expect(await harness.sync(id, { reason: 'first' })).toMatchObject({ done: false, isFailure: false })
  await harness.deps.database.query(
    `insert into jobs (instance_id, kind, key, payload, attempts) values ($1, 'sync', 'connection/' || $2::text, '{}', 0)`,
    [harness.instanceId, id],
  )
  await requestRefresh(harness.deps, harness.scopeOf(bank))
  expect(await runs()).toEqual(['running'])
})

describe('how long a failing source is retried before the schedule takes over', () => {
  const failures: Record<string, SourceError> = {
    'an answer that cannot be read': new SourceError('badData', 'a page of HTML'),
    'an outage': new SourceError('unavailable', 'HTTP 503'),
  }
  it.each(Object.entries(failures))('%s: for longer than an hour, at first within seconds', async (_name, failure) => {
    const waits: number[] = []
    let outcome: Outcome = { done: false, inMs: 0, isFailure: true, reason: '' }
    for (let attempt = 1; !outcome.done; attempt += 1) {
      expect(attempt).toBeLessThanOrEqual(MAX_ATTEMPTS)
      bank.faults = [failure]
      outcome = await harness.sync(id, { reason: 'first', attempt })
      if (!outcome.done) waits.push(outcome.inMs)
    }
    expect(Math.max(...waits.slice(0, 3))).toBeLessThan(20_000)
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(3_600_000)
  })

  it('any job that fails is retried over more than an hour', () => {
    expect(retryMs(1, 1)).toBe(4_500)
    const shortest = [1, 2, 3, 4, 5, 6, 7].reduce((sum, attempt) => sum + retryMs(attempt, 0), 0)
    expect(shortest).toBeGreaterThan(3_600_000)
  })
})
