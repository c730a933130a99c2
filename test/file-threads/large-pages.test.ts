import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Answers, Connector, ConnectorDescription, Pull, SourceItem } from '../../src/connectors/contract/contract.ts'
import { fdxBanks } from '../../src/connectors/fdx/index.ts'
import { hledger } from '../../src/connectors/hledger/index.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { LARGE_BYTES, readItems } from '../../src/sync/runs/read-items.ts'
import { pullNamed } from '../harness/connector-calls.ts'

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
/** Books of hledger-web, which come in one page however large they are; none of the entries has a known shape. */
const booksOf = (entries: number): Answers => ({
  transactions: json(Array.from({ length: entries }, (_, index) => ({ note: `entry ${index} of a kind that nobody knows` }))),
  names: json([]),
  accounts: json([]),
})
const SMALL = booksOf(10)
const LARGE = booksOf(60_000)

/** Threads that were started. */
class CountingThreads extends FileThreads {
  started = 0

  override async *read(...request: Parameters<FileThreads['read']>): AsyncGenerator<SourceItem[], void> {
    this.started += 1
    yield* super.read(...request)
  }
}

/** The connector whose own process must not read a page. */
async function openPull(description: ConnectorDescription, mayReadHere: boolean): Promise<{ connector: Connector; pull: Pull }> {
  const connector = await description.load()
  const [pull] = connector.pulls
  if (!pull) throw new Error('the connector reads nothing')
  const read: Pull['read'] = (answers) => {
    if (!mayReadHere) throw new Error('the page was read by the process itself')
    return pull.read(answers)
  }
  return { connector, pull: { ...pull, read } }
}

async function collect(answers: Answers, files: FileThreads, mayReadHere: boolean, description = hledger): Promise<SourceItem[]> {
  const { connector, pull } = await openPull(hledger, mayReadHere)
  const items: SourceItem[] = []
  for await (const some of readItems({ files, description }, connector, pull, answers)) for (const item of some) items.push(item)
  return items
}

describe(`a page of more than ${LARGE_BYTES / 1024 / 1024} MB`, () => {
  it('is read by a thread, to the same records, while this process does other work', async () => {
    const files = new CountingThreads()
    let turns = 0
    let isDone = false
    const reading = collect(LARGE, files, false).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await setImmediate()
      turns += 1
    }
    const here = [...(await openPull(hledger, true)).pull.read(LARGE)]
    expect(here).toHaveLength(60_000)
    expect(await reading).toEqual(here)
    expect(files.started).toBe(1)
    // A batch of records costs a turn, and the thread needs many until the first one comes.
    expect(turns).toBeGreaterThan(500)
  }, 30_000)

  it('of an FDX profile of this deployment is read by a thread', async () => {
    const [akoya] = fdxBanks
    if (!akoya) throw new Error('no profile')
    const description = { ...akoya, key: 'profile-of-this-deployment' }
    const connector = await description.load()
    const pull = pullNamed(connector, 'transactions')
    const rows = Array.from({ length: 30_000 }, (_, index) => ({
      transactionId: `t-${index}`,
      description: 'Payment to a supplier, by transfer',
    }))
    const answers = {
      about: json({ parts: [{ name: 'rows-0', accountId: 'a', currency: 'CAD' }], gone: [] }),
      'rows-0': json({ transactions: rows }),
    }
    const files = new CountingThreads()
    const found: SourceItem[] = []
    for await (const some of readItems({ files, description }, connector, pull, answers)) found.push(...some)
    expect(found).toEqual([...pull.read(answers)])
    expect([found.length, files.started]).toEqual([30_000, 1])
  })

  it('of a connector that a thread cannot find is read here', async () => {
    const files = new CountingThreads()
    const own = { ...hledger, key: 'profile-of-this-deployment' }
    expect(await collect(LARGE, files, true, own)).toHaveLength(60_000)
    expect(files.started).toBe(0)
  })
})

it('a small page starts no thread', async () => {
  const files = new CountingThreads()
  expect(await collect(SMALL, files, true)).toHaveLength(10)
  expect(files.started).toBe(0)
})
