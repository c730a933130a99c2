import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countDisabled, findSubscription } from '../../src/store/webhooks/subscriptions.ts'
import { createDispatcher, type Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { resumeSubscription } from '../../src/webhooks/subscriptions.ts'
import { type Bench, openBench } from './bench.ts'

const DAY = 86_400_000

let bench: Bench

beforeEach(async () => {
  bench = await openBench()
})
afterEach(() => bench.close())

describe('a receiver that fails for five days', () => {
  test('is disabled however often the dispatcher is started anew, with an alert, and comes back with all it missed', async () => {
    let isWell = false
    const receiver = await bench.receive((_request, response) => response.writeHead(isWell ? 200 : 500).end())
    const { id } = await bench.subscribeTo(receiver.url)
    const reports: string[] = []
    const log = { info: () => undefined, warn: (_fields: object, message: string) => void reports.push(message), error: () => undefined }
    let aheadMs = 0
    // Nothing of one dispatcher reaches the next.
    const anew = (): Dispatcher => createDispatcher({ ...bench.deps, egress: bench.egress, log, clock: { aheadMs: () => aheadMs } })
    const statusAfter = async (ms: number): Promise<string | undefined> => {
      aheadMs += ms
      await bench.raise()
      await anew().runOnce()
      return (await findSubscription(bench.test.database, bench.instanceId, id))?.status
    }
    for (let turn = 0; turn < 25; turn += 1) expect(await statusAfter(DAY / 5)).toBe('active')
    expect(reports).toEqual([])
    expect(await statusAfter(DAY / 4)).toBe('disabled')
    expect(reports).toEqual(['webhook subscription disabled'])
    expect(await countDisabled(bench.test.database)).toEqual([{ reason: 'failing', count: 1 }])

    const missed = [await bench.raise(), await bench.raise()]
    isWell = true
    receiver.received.splice(0)
    expect(await anew().runOnce()).toBe(0)
    expect(await resumeSubscription(bench.deps, bench.instanceId, id, { recover: true })).toMatchObject({ recovered: missed.length })
    aheadMs += 10 * DAY
    while ((await anew().runOnce()) > 0);
    const got = receiver.received.map(({ identifier }) => identifier.split('.')[1])
    expect(got).toEqual(expect.arrayContaining(missed))
    expect(await undelivered()).toBe(0)
  })
})

async function undelivered(): Promise<number> {
  const { rows } = await bench.test.database.query(`select 1 from deliveries where status <> 'delivered'`)
  return rows.length
}
