import { beforeEach, describe, expect, it } from 'vitest'
import type { Connector } from '../../src/connectors/contract/contract.ts'
import type { RunReason } from '../../src/store/connections/sync-runs.ts'
import { insertAliases } from '../../src/store/records/record-aliases.ts'
import { mayBeRenumbered, reidentifyAccounts, reidentifyTransactions } from '../../src/sync/runs/reidentify.ts'
import { addCounts, setCounts } from '../../src/sync/runs/run-progress.ts'
import { databaseForTests, openForTests } from '../harness/for-tests.ts'
import { testKeys } from '../harness/keys.ts'
import { watched } from '../records/record-store.ts'
import { ReadRun, SERVICE_NAME, toAccount, toMovement } from './read-run.ts'

const test = databaseForTests()
const keys = openForTests(testKeys)
let run: ReadRun
const open = async (reason?: RunReason) => {
  run = await new ReadRun(test.database, keys).open(reason)
}
beforeEach(() => open())

const reidentify = (pull = 'accounts') => run.within((db) => reidentifyAccounts(db, run.reading, run.pullOf(pull).index))
/** The same account under another id and with another balance. */
const RENAMED = toAccount('new-1 1111', '11.00')

/** The connector with other properties. */
function change(other: (connector: Connector) => Partial<Connector>): void {
  run.connector = { ...run.connector, ...other(run.connector) }
}
function withoutReidentification(): void {
  const { reidentify: _reidentify, ...others } = run.connector
  run.connector = others
}

describe('accounts of a page are reidentified', () => {
  const publishAndList = async (listing = 'complete') => {
    await run.publish({ accounts: ['old-1 1111'] })
    await run.list({ accounts: [RENAMED] }, { listing })
    await run.list({ movements: [toMovement('m-1', 'new-1')] })
  }

  it('by the last page of the accounts of a reconnect', async () => {
    await publishAndList()
    await reidentify()
    expect(await run.state()).toMatchObject({
      aliases: ['new-1 is old-1'],
      staged: ['old-1 as new-1 of accounts 0, row 0', 'm-1 as m-1 of movements 0, row 0 in old-1'],
      counts: { reidentified: 1, unclear: 0, changed: 2 },
      seen: { 'accounts 0': ['old-1'], 'movements 0': ['m-1'] },
    })
  })

  it.each<[what: string, reason: RunReason | undefined, prepare: () => void, pull: number]>([
    ['in a scheduled run', 'schedule', () => undefined, 0],
    ['in a run that the owner requests', 'refresh', () => undefined, 0],
    ['where the connector recognizes none', undefined, withoutReidentification, 0],
    ['at the end of another list', undefined, () => undefined, 1],
    ['at the end of a list that the connector no longer has', undefined, () => undefined, 2],
  ])('but not %s', async (_what, reason, prepare, pull) => {
    await open(reason)
    await publishAndList()
    prepare()
    const before = await run.state()
    await run.within((db) => reidentifyAccounts(db, run.reading, pull))
    expect(await run.state()).toEqual(before)
  })

  it('but not where the accounts are no complete list, though another list is', async () => {
    await publishAndList('changes')
    const before = await run.state()
    await reidentify()
    expect(await run.state()).toEqual(before)
  })

  it.each([
    ['lists all accounts under their ids', ['old-1 1111', 'old-2 2222']],
    ['lists fewer', ['old-1 1111']],
    ['lists none', []],
  ])('but not where the login %s', async (_what, now) => {
    await run.publish({ accounts: ['old-1 1111', 'old-2 2222'] })
    await run.list({ accounts: now })
    setCounts(run.run, { changed: 7 })
    await reidentify()
    expect(await run.state()).toMatchObject({ staged: [], aliases: [], counts: { reidentified: 0, unclear: 0, changed: 7 } })
  })
})

describe('a page is read again', () => {
  it('for the accounts on it, as it was read first, and is seen with the ids that readers know', async () => {
    await run.publish({ accounts: ['old-1 1111', 'old-2 2222'] })
    await run.list({ accounts: ['old-2 2222'] })
    await run.list({ accounts: ['new-3 3333', RENAMED] }, { page: 1 })
    const before = Object(await run.stagedDoc('Accounts', 'new-1'))
    await reidentify()
    expect(await run.state()).toMatchObject({
      staged: ['old-1 as new-1 of accounts 1, row 1', 'new-3 as new-3 of accounts 1, row 0'],
      seen: { 'accounts 0': ['old-2'], 'accounts 1': ['new-3', 'old-1'] },
      counts: { reidentified: 1, unclear: 0, changed: 2 },
    })
    expect(before).toMatchObject({ serviceName: SERVICE_NAME, lastUpdatedOn: '2026-11-20T12:03:00.000', origId: 'new-1' })
    expect(await run.stagedDoc('Accounts', 'old-1')).toEqual({ ...before, origId: 'old-1' })
  })

  it('for an account on an earlier page, which is seen there', async () => {
    await run.publish({ accounts: ['old-1 1111', 'old-2 2222'] })
    await run.list({ accounts: [RENAMED] })
    await run.list({ accounts: ['old-2 2222'] }, { page: 1 })
    await reidentify()
    expect(await run.state()).toMatchObject({
      staged: ['old-1 as new-1 of accounts 0, row 0'],
      seen: { 'accounts 0': ['old-1'], 'accounts 1': ['old-2'] },
    })
  })

  it('for transactions that were listed before their accounts, and staged where they were', async () => {
    run.bank.accountsLast = true
    run.connector = run.bank.connector
    await run.publish({ accounts: ['old-1 1111'] })
    await run.publish({ movements: [toMovement('m-1', 'old-1')] })
    await run.list({ movements: [toMovement('m-1', 'new-1'), toMovement('m-2', 'new-2')] })
    await run.list({ movements: [toMovement('m-3', 'new-1')] }, { page: 1 })
    await run.list({ accounts: [RENAMED, 'new-2 2222'] })
    run.opened.length = 0
    await reidentify()
    expect(await run.state()).toMatchObject({
      // The first one is as it was published.
      staged: [
        'old-1 as new-1 of accounts 0, row 0',
        'new-2 as new-2 of accounts 0, row 1',
        'm-2 as m-2 of movements 0, row 1 in new-2',
        'm-3 as m-3 of movements 1, row 0 in old-1',
      ],
      seen: { 'movements 0': ['m-1', 'm-2'], 'movements 1': ['m-3'], 'accounts 0': ['old-1', 'new-2'] },
      counts: { reidentified: 1, unclear: 0, changed: 4 },
    })
    expect(run.opened.toSorted()).toEqual(['accounts 0', 'accounts 0', 'accounts published', 'movements 0', 'movements 1'])
  })

  it('for several accounts once, to compare them, and once more', async () => {
    await run.publish({ accounts: ['old-1 1111', 'old-2 2222', 'old-3 3333'] })
    await run.list({ accounts: ['old-3 3333', 'new-2 2222', 'new-1 1111'] })
    run.opened.length = 0
    await reidentify()
    expect([run.opened, await run.staged()]).toEqual([['accounts 0', 'accounts published', 'accounts 0'], []])
    expect(run.run.counts).toMatchObject({ reidentified: 2, unclear: 0, changed: 0 })
  })

  it('not where no account is known again', async () => {
    await run.publish({ accounts: ['old-1 1111'] })
    await run.list({ accounts: ['old-1 1111', 'new-2 2222'] })
    run.opened.length = 0
    await reidentify()
    expect(run.opened.toSorted()).toEqual(['accounts 0', 'accounts published'])
    expect(await run.state()).toMatchObject({ aliases: [], staged: ['new-2 as new-2 of accounts 0, row 1'] })
  })

  it('and counts nothing twice', async () => {
    await run.publish({ accounts: [{ ...toAccount('old-1 1111'), currency: '' }] })
    await run.list({ movements: [toMovement('m-1', 'new-1'), toMovement('m-2', 'new-1', { amount: 'much' })] })
    await run.list({ accounts: [{ ...RENAMED, currency: '' }] })
    const { counts, unmapped } = structuredClone(run.run)
    expect(counts).toMatchObject({ records: 2, setAside: 1, changed: 2 })
    expect(unmapped).toEqual([{ entity: 'Accounts', field: 'currency', word: 'none told', count: 1 }])
    await reidentify()
    expect(run.run).toMatchObject({ counts: { ...counts, reidentified: 1 }, unmapped })
  })

  it.each([
    ['is no longer kept', () => run.removePage('movements 0')],
    ['is of a list that the connector no longer has', () => change(({ pulls }) => ({ pulls: pulls.slice(0, 1) }))],
  ])('and one that %s fails the run', async (_what, prepare) => {
    await run.publish({ accounts: ['old-1 1111'] })
    await run.list({ movements: [toMovement('m-1', 'new-1')] })
    await run.list({ accounts: [RENAMED] })
    await prepare()
    const before = await run.aliases()
    await expect(reidentify()).rejects.toThrow('a page of this run is no longer kept')
    expect(await run.aliases()).toEqual(before)
  })

  it.each(['accounts 0', 'accounts published'])('where it is kept: without %s the accounts cannot be told apart', async (page) => {
    await run.publish({ accounts: ['old-1 1111'] })
    await run.list({ accounts: [RENAMED] })
    await run.removePage(page)
    await reidentify()
    const counts = { reidentified: 0, unclear: 1, changed: 2 }
    expect(await run.state()).toMatchObject({ aliases: [], staged: ['new-1 as new-1 of accounts 0, row 0', 'old-1 ends'], counts })
  })
})

describe('transactions of a renamed account', () => {
  const alias = (origId: string, keptOrigId: string) => ({ origId, id: run.idOf('Accounts', keptOrigId), keptOrigId })
  const rename = (...[origId, keptOrigId]: [string, string]) =>
    run.within((db) => insertAliases(db, run.scope, 'Accounts', [alias(origId, keptOrigId)]))
  /** Reidentifies; returns the statements that it needed. */
  const statements = async () => {
    const asked: string[] = []
    await run.within((db) =>
      reidentifyTransactions(
        watched(db, (text) => void asked.push(text)),
        run.reading,
      ),
    )
    return asked.length
  }
  const publish = () =>
    run.publish({
      movements: [
        toMovement('m-0', 'old-1', { day: '2026-11-01' }),
        toMovement('m-1', 'old-1'),
        toMovement('m-2', 'old-1', { day: '2026-11-11' }),
        toMovement('m-3', 'old-1', { day: '2026-11-02', pending: true }),
        toMovement('m-4', 'old-2', { day: '2026-11-11' }),
      ],
    })
  const list = () =>
    run.list({ movements: [toMovement('n-5', 'new-1'), toMovement('n-1', 'new-1', { description: 'm-1', category: 'Food' })] })

  it('keep their records under new ids, and end from there on where they are no longer listed', async () => {
    await publish()
    await rename('new-1', 'old-1')
    await list()
    setCounts(run.run, { changed: 9 })
    run.opened.length = 0
    await statements()
    expect(await run.state()).toMatchObject({
      aliases: ['new-1 is old-1', 'n-1 is m-1'],
      staged: ['m-2 ends', 'm-3 ends', 'm-1 as n-1 of movements 0, row 1 in old-1', 'n-5 as n-5 of movements 0, row 0 in old-1'],
      seen: { 'movements 0': ['n-5', 'm-1'] },
      counts: { changed: 4, records: 2 },
    })
    expect(run.opened).toEqual(['movements 0'])
  })

  it.each([
    [0, false],
    [1, true],
    [2, true],
  ])('may have other ids where %i records have changed: %s', (changed, may) => {
    setCounts(run.run, { changed })
    expect(mayBeRenumbered(run.reading)).toBe(may)
  })

  it.each<[what: string, asked: number, prepare: () => unknown]>([
    ['where nothing has changed', 0, () => setCounts(run.run, { changed: 0 })],
    ['where the connector recognizes none', 0, withoutReidentification],
    [
      'where the source keeps their ids',
      0,
      () => change(({ reidentify }) => (reidentify ? { reidentify: { ...reidentify, renumbersTransactions: false } } : {})),
    ],
  ])('are left alone %s', async (_what, asked, prepare) => {
    await publish()
    await rename('new-1', 'old-1')
    await list()
    await prepare()
    expect(mayBeRenumbered(run.reading)).toBe(false)
    const before = await run.state()
    expect(await statements()).toBe(asked)
    expect(await run.state()).toEqual(before)
  })

  it.each<[what: string, asked: number, prepare: () => unknown]>([
    ['no account was renamed, which costs one statement', 1, list],
    ['the run lists none under a new id', 4, () => rename('new-1', 'old-1')],
    ['only other accounts have any', 4, () => rename('new-9', 'old-9').then(list)],
  ])('are left alone where %s', async (_what, asked, prepare) => {
    await publish()
    await prepare()
    addCounts(run.run, { changed: 7 })
    expect(mayBeRenumbered(run.reading)).toBe(true)
    const before = await run.state()
    expect(await statements()).toBe(asked)
    expect(await run.state()).toEqual(before)
  })
})
