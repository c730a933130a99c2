import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Answers, Connector, ConnectorDescription, Pull, SourceItem } from '../../src/connectors/contract/contract.ts'
import { hledger } from '../../src/connectors/hledger/index.ts'
import { connectorsWith } from '../../src/connectors/registry.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { LARGE_BYTES, readItems } from '../../src/sync/runs/read-items.ts'
import { documentsOf, pullNamed } from '../harness/connector-calls.ts'
import { folderForTests } from '../harness/for-tests.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const json = (value: unknown) => encode(JSON.stringify(value))
/** Books of hledger-web, which come in one page however large they are; none of the entries has a known shape. */
const booksOf = (entries: number): Answers => ({
  transactions: json(Array.from({ length: entries }, (_, index) => ({ note: `entry ${index} of a kind that nobody knows` }))),
  names: json([]),
  accounts: json([]),
})
const SMALL = booksOf(10)
const LARGE = booksOf(60_000)

/** Bank with a profile of the operator, and a large page of it, whose numbers have more digits than a double. */
interface OwnProfile {
  folder: string
  file: { key: string }
  pull: string
  answers: Answers
}

const profileOf = (name: string) => JSON.parse(readFileSync(new URL(`../../src/connectors/${name}.json`, import.meta.url), 'utf8'))
const rowsOf = (row: (index: number) => string) => Array.from({ length: 30_000 }, (_, index) => row(index)).join()
const AMOUNT = '12345678901234567.25'

const FDX: OwnProfile = {
  folder: 'fdx',
  file: { ...profileOf('fdx/profiles/akoya'), key: 'fdx-of-this-deployment' },
  pull: 'transactions',
  answers: {
    about: json({ parts: [{ name: 'rows-0', accountId: 'a', currency: 'CAD' }], gone: [] }),
    'rows-0': encode(
      `{"transactions":[${rowsOf((index) => `{"transactionId":"t-${index}","amount":${AMOUNT},"debitCreditMemo":"DEBIT","status":"POSTED","postedTimestamp":"2026-05-05"}`)}]}`,
    ),
  },
}

const BANK_API: OwnProfile = {
  folder: 'bank-api',
  file: { ...profileOf('bank-api/examples/granite'), key: 'bank-of-this-deployment' },
  pull: 'transactions',
  answers: {
    about: json({ list: 'entries', account: 'p', gone: [] }),
    rows: encode(
      `{"data":[${rowsOf((index) => `{"trnId":"t-${index}","posnId":"p","acctgDate":"20260505","trnAmt":${AMOUNT.replace('.', '')},"comment":"Payment"}`)}]}`,
    ),
  },
}

const refuse: Pull['read'] = () => {
  throw new Error('the page was read by the process itself')
}

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
  return { connector, pull: mayReadHere ? pull : { ...pull, read: refuse } }
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

  describe.each<[string, OwnProfile]>([
    ['an FDX bank', FDX],
    ['a bank API', BANK_API],
  ])('of %s with a profile of this deployment', (_what, { folder, file, pull: name, answers }) => {
    const profiles = folderForTests()

    it('is read by a thread, to the same records', async () => {
      mkdirSync(join(profiles.path, folder))
      writeFileSync(join(profiles.path, folder, `${file.key}.json`), JSON.stringify(file))
      const description = connectorsWith(profiles.path).find(({ key }) => key.endsWith(file.key))
      if (!description) throw new Error('no such bank')
      const connector = await description.load()
      const pull = pullNamed(connector, name)
      const files = new CountingThreads()
      const found: SourceItem[] = []
      for await (const some of readItems({ files, description }, connector, { ...pull, read: refuse }, answers)) found.push(...some)
      expect(found).toEqual([...pull.read(answers)])
      expect([found.length, files.started]).toEqual([30_000, 1])
      const documents = documentsOf(connector, found.slice(0, 3), name)
      expect(documents).toHaveLength(3)
      expect(documents).toEqual(documentsOf(connector, [...pull.read(answers)].slice(0, 3), name))
    }, 30_000)
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
