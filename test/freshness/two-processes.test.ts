import { describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import { serveHttp } from '../../src/egress/loopback-server.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { subscribe } from '../../src/webhooks/subscriptions.ts'
import { openForTests } from '../harness/for-tests.ts'
import { type Books, type FreshnessHarness, openFreshnessHarness } from './harness.ts'

const READS = 2_400
const WRITERS = 4
const READERS_EACH = 4

const harness = openForTests(openFreshnessHarness)

describe('two processes with separate caches', () => {
  it('never answer with less than what was published before the read began', async () => {
    const all: Books[] = []
    for (let writer = 0; writer < WRITERS; writer++) {
      const books = await harness.addBooks()
      await harness.publish(books)
      all.push(books)
    }
    const seen = { reads: 0, unchanged: 0, newer: 0 }
    const wrong: string[] = []
    const isDone = () => seen.reads >= READS
    const write = async (books: Books) => {
      while (!isDone()) await harness.publish(books)
    }
    const read = async (service: FreshnessHarness['readers'][number], start: number) => {
      const known = new Map<Books, { etag: string; version: number }>()
      for (let turn = start; !isDone(); turn++) {
        const books = all[turn % all.length]
        if (!books) return
        const earlier = known.get(books)
        const published = books.published
        const answer = await harness.read(service, books, turn % 2 === 0 ? earlier?.etag : undefined)
        seen.reads += 1
        const versions = answer.status === 304 ? [earlier?.version ?? 0] : answer.versions
        const [version = 0] = versions
        if (versions.length !== 1) wrong.push(`mixed ${versions}`)
        if (version < published) wrong.push(`${version} after ${published} was published`)
        if (answer.status === 304) seen.unchanged += 1
        else known.set(books, { etag: answer.etag, version })
        if (earlier && version > earlier.version) seen.newer += 1
      }
    }
    const readers = harness.readers.flatMap((service) => Array.from({ length: READERS_EACH }, (_, start) => read(service, start)))
    await Promise.all([...all.map(write), ...readers])
    expect(wrong).toEqual([])
    expect(seen.reads).toBeGreaterThanOrEqual(2_000)
    // Both paths of the cache were taken: valid entries and outdated ones.
    expect(Math.min(seen.unchanged, seen.newer)).toBeGreaterThan(20)
  })

  it('show the new data to readers reacting to the event', async () => {
    const books = await harness.addBooks()
    const shown: number[][] = []
    const receiver = await serveHttp(async (request, response) => {
      for await (const _chunk of request);
      for (const service of harness.readers) {
        const answer = await harness.read(service, books)
        shown.push(answer.status === 200 ? answer.versions : [])
      }
      response.end()
    })
    const { sync, test, instanceId } = harness
    const webhooks = { database: test.database, sealer: sync.sealer, callbackRules: { allowPrivate: true } }
    const egress = createEgress({ allowPrivate: true })
    const dispatcher = new Dispatcher({ ...webhooks, egress, log: sync.log })
    await subscribe(webhooks, instanceId, { event: 'NormalizedData', callbackUrl: receiver.url })
    const expected: number[][] = []
    for (let version = 1; version <= 10; version++) {
      await harness.publish(books)
      await dispatcher.runOnce()
      expected.push([version], [version])
    }
    await dispatcher.stop()
    await egress.close()
    await receiver.close()
    expect(shown).toEqual(expected)
  })

  it('hide the data of a company at once when it is disconnected, and show only new data when it is connected again', async () => {
    const books = await harness.addBooks()
    await harness.publish(books)
    for (const service of harness.readers) expect(await harness.read(service, books)).toMatchObject({ versions: [1] })
    await harness.disconnect(books)
    for (const service of harness.readers) await expect(harness.read(service, books)).rejects.toThrow(/^404/)
    await harness.reconnect(books)
    for (const service of harness.readers) await expect(harness.read(service, books)).rejects.toThrow(/^404/)
    await harness.publish(books)
    for (const service of harness.readers) expect(await harness.read(service, books)).toMatchObject({ versions: [2] })
  })
})
