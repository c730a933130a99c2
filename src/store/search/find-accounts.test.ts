import { beforeEach, describe, expect, it } from 'vitest'
import {
  addBooks,
  addPublication,
  addVersion,
  type Books,
  idOf,
  minutesAfter,
  SHAPES,
  storeForTests,
} from '../../../test/records/record-store.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { accountIndexer, deleteAccountWords, indexAccounts, indexNext, indexNoted, toAccountWords } from './account-words.ts'
import { findAccounts } from './find-accounts.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  beforeEach(async () => {
    database = test.database
    for (const table of ['account_words', 'unindexed_publications', 'indexed_publications', 'publications'])
      await database.query(`delete from ${table}`)
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
  })

  const account = (n: number, name: string, accountNumber = '') => ({
    id: idOf(n),
    doc: { origId: `ORIG-${n}`, accountName: name, accountNumber },
  })
  const publishOneAndTwo = async () => {
    for (const [of, name] of [
      [books, 'One'],
      [neighbour, 'Two'],
    ] as const) {
      await addPublication(database, of)
      await addVersion(database, of, account(1, name))
    }
  }
  const index = (of: Books) => inTransaction(database, (db) => indexAccounts(db, of))
  const wordsOf = async (of: Books) =>
    (await database.query<{ word: string }>('select word from account_words where company_id = $1 order by word', [of.companyId])).rows.map(
      ({ word }) => word,
    )
  const find = async (typed: string, limit = 9, of = books) =>
    (await findAccounts(database, of.instanceId, typed, limit)).map(({ id }) => Number(id.slice(-2)))

  it('the words of published accounts are stored; they follow the accounts', async () => {
    await addVersion(database, books, account(1, 'Compte Épargne', '••••1234'))
    await addVersion(database, books, { ...account(2, 'Gone'), deleted: true })
    await addVersion(database, books, { ...account(3, 'Before'), validTo: minutesAfter(1) })
    await addVersion(database, books, { ...account(4, 'Payment'), entity: 'Transactions' })
    await addVersion(database, neighbour, account(5, 'Foreign'))
    await index(books)
    expect(await wordsOf(books)).toEqual([])
    for (const each of [books, neighbour]) await addPublication(database, each)
    for (const each of [books, neighbour]) await index(each)
    expect(await wordsOf(books)).toEqual([idOf(1), '1234', 'compte', 'epargne', 'orig-1'].toSorted())
    await database.query(
      `update record_versions set doc = '{"origId":"ORIG-1","name":"Épargne neuve"}' where connection_id = $1 and id = $2`,
      [books.connectionId, idOf(1)],
    )
    await index(books)
    expect(await wordsOf(books)).toEqual([idOf(1), 'epargne', 'neuve', 'orig-1'].toSorted())
    await deleteAccountWords(database, { ...books, instanceId: neighbour.instanceId })
    expect(await wordsOf(books)).toHaveLength(4)
    await deleteAccountWords(database, books)
    expect([await wordsOf(books), (await wordsOf(neighbour)).length]).toEqual([[], 3])
    // And where the publication is gone, so are they.
    await index(books)
    await database.query('delete from publications where company_id = $1', [books.companyId])
    await index(books)
    expect(await wordsOf(books)).toEqual([])
  })

  it('accounts are found by the beginnings of all words, in their instance, those of the rarest word first', async () => {
    for (const each of [books, neighbour]) await addPublication(database, each)
    await addVersion(database, books, account(1, 'Compte épargne', '••••1234'))
    await addVersion(database, books, account(2, 'Compte chèques', '••••5678'))
    await addVersion(database, books, account(3, 'Comptoir'))
    await addVersion(database, neighbour, account(4, 'Compte épargne'))
    for (const each of [books, neighbour]) await index(each)
    expect([await find('compte'), await find('COMPT'), await find('épar compte'), await find('compte none'), await find('')]).toEqual([
      [1, 2],
      [1, 2, 3],
      [1],
      [],
      [],
    ])
    expect([
      await find('5678'),
      await find('orig-3'),
      await find(idOf(2)),
      await find('comp', 1),
      await find('compte', 9, neighbour),
    ]).toEqual([[2], [3], [2], [1], [4]])
    const [found] = await findAccounts(database, books.instanceId, 'épargne', 9)
    expect(found).toEqual({
      ...{
        id: idOf(1),
        companyId: books.companyId,
        companyName: 'Boulangerie du Plateau',
        serviceId: books.serviceId,
        connectionId: books.connectionId,
      },
      ...{ category: 'Banking', doc: JSON.stringify(account(1, 'Compte épargne', '••••1234').doc) },
    })
    // Of a connection that has ended nothing is shown, nor an account that is deleted meanwhile.
    await database.query('update record_versions set deleted = true where connection_id = $1 and id = $2', [books.connectionId, idOf(1)])
    expect(await find('compte')).toEqual([2])
    await database.query('update connections set status = 26 where id = $1', [books.connectionId])
    expect(await find('compte')).toEqual([])
  })

  it('noted publications are read once, of one instance or the earliest of all', async () => {
    await database.query('delete from unindexed_publications')
    await publishOneAndTwo()
    await database.query('delete from unindexed_publications')
    const note = (of: Books, minutes: number) =>
      database.query('insert into unindexed_publications (instance_id, company_id, service_id, noted_at) values ($1, $2, $3, $4)', [
        of.instanceId,
        of.companyId,
        of.serviceId,
        minutesAfter(minutes),
      ])
    for (const [of, minutes] of [
      [books, 1],
      [books, 2],
      [neighbour, 3],
    ] as const)
      await note(of, minutes)
    expect([await indexNoted(database, neighbour.instanceId, 9), await wordsOf(books), (await wordsOf(neighbour)).includes('two')]).toEqual(
      [1, [], true],
    )
    expect([await indexNoted(database, null, 1), (await wordsOf(books)).includes('one')]).toEqual([1, true])
    expect((await database.query('select from unindexed_publications')).rowCount).toBe(1)
    expect([await indexNoted(database, null, 9), await indexNoted(database, null, 9)]).toEqual([1, 0])
  })

  it('a deployment from before walks through all publications once', async () => {
    await publishOneAndTwo()
    await database.query('delete from unindexed_publications')
    const step = () => inTransaction(database, (db) => indexNext(db))
    expect(await step()).toBe('more')
    expect([(await wordsOf(books)).includes('one'), (await wordsOf(neighbour)).includes('two')]).toEqual([true, true])
    const busy = await inTransaction(database, async (db) => {
      await db.query('select from indexed_publications for update')
      return await step()
    })
    expect([busy, await step(), await step()]).toEqual(['busy', 'done', 'done'])
  })

  it('the periodic task reads what is noted, and walks to the end unless it is stopped', async () => {
    await addPublication(database, books)
    await addVersion(database, books, account(1, 'One'))
    let isStopping = true
    const run = accountIndexer(database, () => isStopping)
    await run()
    expect(await wordsOf(books)).toEqual([])
    isStopping = false
    await run()
    expect((await wordsOf(books)).includes('one')).toBe(true)
    expect((await database.query('select is_done as "isDone" from indexed_publications')).rows).toEqual([{ isDone: true }])
    await database.query('delete from indexed_publications')
    await run()
    // It has walked.
    expect((await database.query('select from indexed_publications')).rowCount).toBe(0)
  })
})

it.each([
  [{ name: 'A b a', number: '' }, ['i', 'o', 'a', 'b']],
  [{ name: '', number: '0001-2345678' }, ['i', 'o', '0001', '2345678', '5678']],
  [{ name: 'x'.repeat(41), number: '' }, ['i', 'o', 'x'.repeat(40)]],
])('an account with %j is found by %j', ({ name, number }, words) => {
  expect(toAccountWords({ id: 'i', origId: 'O\0', name, number })).toEqual(words)
})

it('an account has 24 words at most', () => {
  const name = Array.from({ length: 30 }, (_, n) => `w${n}`).join(' ')
  expect(toAccountWords({ id: 'i', origId: 'o', name, number: '' })).toEqual(['i', 'o', ...Array.from({ length: 22 }, (_, n) => `w${n}`)])
})
