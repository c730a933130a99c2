import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { SourceItem } from '../../src/connectors/contract/contract.ts'
import type { Entity } from '../../src/model/catalogue.ts'
import { inTransaction } from '../../src/store/db/database.ts'
import { insertAliases } from '../../src/store/records/record-aliases.ts'
import { loadAliases, openPageScope } from '../../src/sync/runs/aliases.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { databaseForTests } from '../harness/for-tests.ts'
import { idOf, watched } from '../records/record-store.ts'

const test = databaseForTests()
const scope = { instanceId: '', companyId: '', serviceId: '' }
beforeEach(async () => {
  scope.instanceId = await addInstance(test.database)
  scope.companyId = await addCompany(test.database, scope.instanceId)
  scope.serviceId = randomUUID()
})

const rename = (entity: Entity, origId: string, kept: number, of = scope) =>
  inTransaction(test.database, (db) => insertAliases(db, of, entity, [{ origId, id: idOf(kept), keptOrigId: `kept ${kept}` }]))
const account = (origId: string): SourceItem => ({ entity: 'Accounts', origId, wire: {} })
const transaction = (origId: string): SourceItem => ({ entity: 'Transactions', origId, wire: {} })

const statements: string[] = []
/** Aliases of a page, listed in pieces. */
async function load(...pieces: SourceItem[][]) {
  statements.length = 0
  const aliases = await loadAliases(
    watched(test.database, (text) => void statements.push(text)),
    scope,
    () => pieces,
  )
  return (entity: Entity, ...origIds: string[]) => origIds.map((origId) => aliases?.(entity, origId)?.keptOrigId ?? null)
}

describe('aliases of a page', () => {
  it('are those of all accounts, and of the transactions listed on it', async () => {
    await rename('Accounts', 'a', 1)
    await rename('Accounts', 'b', 2)
    await rename('Transactions', 't', 3)
    await rename('Transactions', 'u', 4)
    await rename('Transactions', 'v', 5)
    const aliases = await load([account('a'), transaction('t')], [transaction('u')])
    expect(aliases('Accounts', 'a', 'b', 'c')).toEqual(['kept 1', 'kept 2', null])
    expect(aliases('Transactions', 't', 'u', 'v')).toEqual(['kept 3', 'kept 4', null])
    expect(statements).toHaveLength(2)
  })

  it('are whole', async () => {
    await rename('Accounts', 'a', 1)
    const aliases = await loadAliases(test.database, scope, () => [[]])
    expect(aliases?.('Accounts', 'a')).toEqual({ origId: 'a', id: idOf(1), keptOrigId: 'kept 1' })
  })

  it('are those of one kind of record, though another has the same id', async () => {
    await rename('Accounts', 'a', 1)
    await rename('Transactions', 't', 2)
    const aliases = await load([transaction('a'), transaction('t'), account('t')])
    expect([aliases('Accounts', 'a', 't'), aliases('Transactions', 'a', 't')]).toEqual([
      ['kept 1', null],
      [null, 'kept 2'],
    ])
  })

  it('are those of removed and unreadable records too', async () => {
    await rename('Accounts', 'a', 1)
    await rename('Transactions', 't', 2)
    await rename('Transactions', 'u', 3)
    const aliases = await load([
      { entity: 'Transactions', origId: 't', removed: true },
      { entity: 'Transactions', origId: 'u', unreadable: 'torn' },
    ])
    expect(aliases('Transactions', 't', 'u')).toEqual(['kept 2', 'kept 3'])
  })

  it.each<[what: string, page: SourceItem[]]>([
    ['no transactions', [account('a')]],
    ['none with an id', [{ entity: 'Transactions', origId: null, unreadable: 'torn' }]],
    ['nothing', []],
  ])('take one statement where the page lists %s', async (_what, page) => {
    await rename('Accounts', 'a', 1)
    expect((await load(page))('Accounts', 'a')).toEqual(['kept 1'])
    expect(statements).toHaveLength(1)
  })

  it.each<[entity: Entity, item: (origId: string) => SourceItem, other: (origId: string) => SourceItem]>([
    ['Accounts', account, transaction],
    ['Transactions', transaction, account],
  ])('leave out %s that are listed under both ids: there are two after all', async (entity, item, other) => {
    await rename('Accounts', 'any', 9)
    await rename(entity, 'new 1', 1)
    await rename(entity, 'new 2', 2)
    const both = [item('new 1'), item('new 2'), item('kept 1'), other('kept 2')]
    expect((await load(both))(entity, 'new 1', 'new 2')).toEqual([null, 'kept 2'])
    expect((await load(both.slice(0, 2), both.slice(2)))(entity, 'new 1', 'new 2')).toEqual([null, 'kept 2'])
  })

  it.each<[what: string, prepare: () => Promise<void>]>([
    ['no account was renamed', () => rename('Transactions', 'a', 1)],
    ['one of another service was', () => rename('Accounts', 'a', 1, { ...scope, serviceId: randomUUID() })],
    [
      'one of another company was',
      async () => await rename('Accounts', 'a', 1, { ...scope, companyId: await addCompany(test.database, scope.instanceId) }),
    ],
  ])('do not exist where %s: the page is not read', async (_what, prepare) => {
    await prepare()
    const read = () => {
      throw new Error('read')
    }
    expect(await loadAliases(test.database, scope, read)).toBeUndefined()
  })
})

describe('the scope of a page', () => {
  const fetchedAt = new Date('2026-11-20T12:00:00Z')
  /** A connection, with more than the scope has. */
  const connection = () => ({ ...scope, category: 'Banking' as const, connectorKey: 'bank', status: 9 })
  const read = () => [[transaction('t')]]

  it('has the aliases of what is on it', async () => {
    await rename('Accounts', 'a', 1)
    await rename('Transactions', 't', 2)
    const { aliases, ...others } = await openPageScope(test.database, connection(), { serviceName: 'Bank', fetchedAt }, read)
    expect(others).toStrictEqual({ ...scope, category: 'Banking', serviceName: 'Bank', fetchedAt })
    expect([aliases?.('Accounts', 'a')?.id, aliases?.('Transactions', 't')?.id, aliases?.('Transactions', 'a')]).toEqual([
      idOf(1),
      idOf(2),
      undefined,
    ])
  })

  it('has none where nothing was renamed', async () => {
    const opened = await openPageScope(test.database, connection(), { serviceName: 'Bank', fetchedAt }, read)
    expect(opened).toStrictEqual({ ...scope, category: 'Banking', serviceName: 'Bank', fetchedAt })
  })
})
