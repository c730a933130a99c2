import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Connector, Pull, SourceItem } from '../../src/connectors/contract/contract.ts'
import type { Fingerprint } from '../../src/connectors/contract/reidentification.ts'
import { hledger } from '../../src/connectors/hledger/index.ts'
import type { Db } from '../../src/store/db/database.ts'
import { FingerprintStore, toFingerprint } from '../../src/sync/runs/fingerprints.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { watched } from '../records/record-store.ts'
import { ReadRun } from './read-run.ts'
import { ReaderThreads } from './reader-threads.ts'

const test = databaseForTests()
const keys = openForTests(testKeys)
let run: ReadRun
beforeEach(async () => {
  run = await new ReadRun(test.database, keys).open()
})

const printOf = (mask: string, persistentId: string | null = null): Fingerprint => ({
  persistentId,
  descriptions: [JSON.stringify([mask, 'checking', 'CAD', 'Operations']), JSON.stringify([mask, 'checking', 'CAD'])],
})
const at = (page: string | null, rawIndex = 0) => ({ rawPageId: page === null ? null : (run.pages.get(page) ?? randomUUID()), rawIndex })
/** The connector whose pull of accounts yields other items. */
function withItems(items: SourceItem[]): void {
  const toPull = (pull: Pull): Pull => ({ ...pull, read: () => items })
  run.connector = { ...run.connector, pulls: run.connector.pulls.map(toPull) }
}
function find(places: ReturnType<typeof at>[], company: { instanceId: string; companyId: string } = run.scope, db: Db = test.database) {
  return new FingerprintStore(run.deps, db, company, run).withFingerprints(places)
}
const fingerprints = async (...places: ReturnType<typeof at>[]) => (await find(places)).map(({ fingerprint }) => fingerprint)

describe('fingerprints of stored accounts', () => {
  beforeEach(async () => {
    await run.list({ accounts: ['a-1 1111', 'a-2 2222 p2', 'a-3'] })
    await run.list({ accounts: ['a-4 4444'] }, { page: 1 })
    run.opened.length = 0
  })

  it('are read from their pages in the given order, each page once', async () => {
    const places = [at('accounts 0', 1), at('accounts 1'), at('accounts 0'), at('accounts 0', 2)]
    const store = new FingerprintStore(run.deps, test.database, run.scope, run)
    const found = await store.withFingerprints(places)
    const told = [printOf('2222', 'p2'), printOf('4444'), printOf('1111'), null]
    expect(found).toStrictEqual(places.map((account, i) => ({ account, fingerprint: told[i] })))
    expect(found.map(({ account }, i) => account === places[i])).not.toContain(false)
    await store.withFingerprints(places)
    expect(run.opened).toEqual(['accounts 0', 'accounts 1'])
  })

  it('are read by a thread where the page is large', async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `a-${index} 1111/${'Operations'.repeat(10)}`)
    await run.list({ accounts: names }, { page: 2 })
    const wire = { id: 'a', name: 'Operations', mask: '7777', persistentId: null, kind: 'checking', currency: 'CAD', officialName: null }
    const source = { description: hledger, files: new ReaderThreads([{ entity: 'Accounts', origId: 'a', wire }]) }
    const store = new FingerprintStore(run.deps, test.database, run.scope, { source, connector: run.connector })
    const found = await store.withFingerprints([at('accounts 2'), at('accounts 1')])
    expect(found.map(({ fingerprint }) => fingerprint)).toEqual([printOf('7777'), printOf('4444')])
  })

  it.each([
    ['whose page is not known', () => at(null)],
    ['whose page is no longer kept', () => at('none')],
    ['that is not on its page', () => at('accounts 1', 1)],
  ])('do not exist for an account %s', async (_what, place) => {
    expect(await fingerprints(place())).toEqual([null])
  })

  it('are not looked for without a page', async () => {
    const asked: string[] = []
    const db = watched(test.database, (text) => void asked.push(text))
    await find([at(null), at(null)], run.scope, db)
    expect(asked).toEqual([])
    await find([at('accounts 0'), at('none')], run.scope, db)
    expect(asked).toHaveLength(2)
  })

  it('do not exist where the connector no longer has the list', async () => {
    run.connector = { ...run.connector, pulls: run.connector.pulls.filter(({ name }) => name !== 'accounts') }
    expect(await fingerprints(at('accounts 0'))).toEqual([null])
  })

  it.each([['instanceId'], ['companyId']] as const)('are those of one company: another %s has none', async (name) => {
    expect(await find([at('accounts 1')])).toEqual([{ account: at('accounts 1'), fingerprint: printOf('4444') }])
    expect(await find([at('accounts 1')], { ...run.scope, [name]: randomUUID() })).toEqual([
      { account: at('accounts 1'), fingerprint: null },
    ])
  })

  it('are counted by all records of the page, and are those of accounts only', async () => {
    const wire = (mask: string) => ({ id: mask, name: 'Operations', mask, persistentId: null, kind: 'checking', currency: 'CAD' })
    withItems([
      { entity: 'Transactions', origId: 't', wire: wire('0000') },
      { entity: 'Accounts', origId: 'a', wire: { ...wire('1111'), officialName: null } },
      { entity: 'Accounts', origId: 'b', removed: true },
      { entity: 'Accounts', origId: null, unreadable: 'torn' },
      { entity: 'Accounts', origId: 'c', wire: { ...wire('5555'), officialName: null } },
    ])
    expect(await fingerprints(...[0, 1, 2, 3, 4].map((index) => at('accounts 0', index)))).toEqual([
      ...[null, printOf('1111'), null, null, printOf('5555')],
    ])
  })

  it('are not asked of the connector where there is no account', async () => {
    const asked: unknown[] = []
    const account = (wire: unknown) => {
      asked.push(wire)
      return printOf('1111')
    }
    const { Accounts } = run.connector.entities
    const entities = { ...run.connector.entities, Accounts: { ...Accounts, wire: Type.Unknown() } }
    run.connector = { ...run.connector, entities, reidentify: { account, renumbersTransactions: false } }
    withItems([
      { entity: 'Accounts', origId: 'a', removed: true },
      { entity: 'Accounts', origId: 'b', wire: 'b' },
    ])
    expect(await fingerprints(at('accounts 0'), at('accounts 0', 1), at('accounts 0', 2), at(null))).toEqual([
      null,
      printOf('1111'),
      null,
      null,
    ])
    expect(asked).toEqual(['b'])
  })
})

describe('the fingerprint of an account', () => {
  const connectorWith = (fingerprint: Fingerprint): Connector => ({
    ...run.connector,
    reidentify: { account: () => fingerprint, renumbersTransactions: false },
  })
  const WIRE = { id: 'a', name: 'Operations', mask: null }

  it.each<[what: string, fingerprint: Fingerprint]>([
    ['an id that survives and descriptions', { persistentId: 'p', descriptions: ['1234'] }],
    ['an id only', { persistentId: 'p', descriptions: [] }],
    ['an empty id', { persistentId: '', descriptions: [] }],
    ['descriptions only', { persistentId: null, descriptions: ['1234', '12'] }],
    ['one description', { persistentId: null, descriptions: ['1234'] }],
  ])('is that of its connector with %s', (_what, fingerprint) => {
    expect(toFingerprint(connectorWith(fingerprint), WIRE)).toBe(fingerprint)
  })

  it('does not exist where nothing distinguishes it', () => {
    expect(toFingerprint(connectorWith({ persistentId: null, descriptions: [] }), WIRE)).toBeNull()
  })

  it('is that of the record', () => {
    const account = (wire: unknown): Fingerprint => ({ persistentId: JSON.stringify(wire), descriptions: [] })
    expect(toFingerprint({ ...run.connector, reidentify: { account, renumbersTransactions: false } }, WIRE)).toEqual({
      ...{ persistentId: JSON.stringify(WIRE), descriptions: [] },
    })
  })

  it.each([
    ['of another shape', { ...WIRE, mask: 1234 }],
    ['that is none', null],
  ])('is not asked of a record %s', (_what, wire) => {
    expect(toFingerprint(connectorWith(printOf('1111')), wire)).toBeNull()
  })

  it('does not exist where the connector recognizes none', () => {
    const { reidentify: _reidentify, ...connector } = run.connector
    expect(toFingerprint(connector, WIRE)).toBeNull()
  })
})
