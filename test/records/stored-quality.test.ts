import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_ID } from '../../src/model/values/first-id.ts'
import { type Database, inTransaction } from '../../src/store/db/database.ts'
import { countAccountChanges, countTransactionChanges, listAccountChanges } from '../../src/store/records/account-changes.ts'
import {
  deleteMatchesOfService,
  listAccountMatches,
  queueAccountMatching,
  replaceAccountMatches,
  type StoredMatch,
} from '../../src/store/records/account-matches.ts'
import { countCoverage, countCoverageChange, countTouched, listCoverage, saveCoverage } from '../../src/store/records/coverage.ts'
import { findLastRead, findQualityRuns } from '../../src/store/records/quality.ts'
import { listQuarantined, quarantineRecords, readQuarantinePage, releaseQuarantine } from '../../src/store/records/quarantine.ts'
import { findAliases, insertAliases, listAccountAliases } from '../../src/store/records/record-aliases.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { AT, addBooks, addRun, addVersion, type Books, idOf, minutesAfter, SHAPES, storeForTests } from './record-store.ts'

describe.each(SHAPES)('with $shape', ({ isDistributed }) => {
  const test = storeForTests(isDistributed)
  let database: Database
  let books: Books
  let neighbour: Books
  let owner: { instanceId: string; companyId: string; id: string }
  beforeEach(async () => {
    database = test.database
    books = await addBooks(database)
    neighbour = await addBooks(database, { serviceId: books.serviceId })
    owner = { ...books, id: books.connectionId }
  })

  it('coverage counts the published records that have a value in each field', async () => {
    const key = { ...books, category: 'Banking', entity: 'Accounts' } as const
    const change = minutesAfter(10)
    await addVersion(database, books, {
      id: idOf(1),
      doc: { origId: 'a', accountName: 'One', userAccountClassification: 'Unknown', actualBalance: null, currency: '' },
    })
    await addVersion(database, books, {
      id: idOf(2),
      doc: { origId: 'b', accountName: null, userAccountClassification: 'BUSINESS', actualBalance: '0.00' },
      validTo: change,
    })
    await addVersion(database, books, {
      id: idOf(2),
      doc: { origId: 'b', accountName: 'Two', userAccountClassification: 'UNKNOWN', actualBalance: '1.00' },
      validFrom: change,
    })
    await addVersion(database, books, { id: idOf(3), doc: { origId: 'c', accountName: 'Three' }, validTo: change })
    await addVersion(database, books, { id: idOf(3), doc: { origId: 'c', accountName: 'Three' }, validFrom: change, deleted: true })
    await addVersion(database, books, { id: idOf(4), doc: { origId: 'd', accountName: 'Four' }, entity: 'Transactions' })
    await addVersion(database, neighbour, { id: idOf(5) })
    const counted = async (at: Date, after: string | null = null, limit = 9) => {
      const { filled, ...found } = await countCoverage(database, key, at, after, limit)
      return { ...found, filled: Object.fromEntries(Object.entries(filled).filter(([, count]) => count !== 0)), id: filled.id }
    }
    expect(await counted(minutesAfter(5))).toEqual({
      total: 3,
      last: idOf(3),
      filled: { origId: 3, accountName: 2, userAccountClassification: 1, actualBalance: 1 },
      id: undefined,
    })
    expect(await counted(change)).toMatchObject({ total: 2, filled: { origId: 2, accountName: 2, actualBalance: 1 } })
    expect(await counted(minutesAfter(5), idOf(1), 1)).toMatchObject({
      total: 1,
      last: idOf(2),
      filled: { origId: 1, userAccountClassification: 1, actualBalance: 1 },
    })
    expect(await counted(minutesAfter(5), idOf(3))).toMatchObject({ total: 0, last: null, filled: {} })
    const [since, until] = [minutesAfter(5), minutesAfter(15)]
    expect([await countTouched(database, key, since, until, 9), await countTouched(database, key, since, until, 1)]).toEqual([2, 1])
    expect([await countTouched(database, key, change, until, 9), await countTouched(database, key, since, since, 9)]).toEqual([0, 0])
    const difference = await countCoverageChange(database, key, since, until)
    expect(difference.total).toBe(-1)
    expect(difference.filled).toMatchObject({ origId: -1, accountName: 0, userAccountClassification: -1, actualBalance: 0 })
    expect((await countCoverageChange(database, key, change, until)).total).toBe(0)
  })

  it('coverage is stored once for each kind; an older count does not replace a newer one', async () => {
    const key = { ...books, category: 'Banking', entity: 'Transactions' } as const
    const count = (total: number, minutes: number) => ({ countedUntil: minutesAfter(minutes), total, filled: { amount: total } })
    expect(await listCoverage(database, books)).toEqual([])
    await saveCoverage(database, key, count(2, 1))
    await saveCoverage(database, { ...key, entity: 'Accounts' }, count(9, 1))
    await saveCoverage(database, { ...key, ...neighbour }, count(8, 1))
    await saveCoverage(database, key, count(1, 0))
    expect(await listCoverage(database, books)).toEqual([
      { entity: 'Accounts', ...count(9, 1) },
      { entity: 'Transactions', ...count(2, 1) },
    ])
    await saveCoverage(database, key, count(4, 1))
    expect((await listCoverage(database, books))[1]).toEqual({ entity: 'Transactions', ...count(4, 1) })
  })

  it('the newest runs that tell something of the data are found', async () => {
    const run = async (state: string, reason: string, minutes: number, endedAt: Date | null = AT) =>
      await addRun(database, books, { id: randomUUID(), state, reason, startedAt: minutesAfter(minutes), endedAt })
    expect(await findQualityRuns(database, { ...owner, id: randomUUID() })).toEqual({ last: null, published: null, read: null })
    const published = await run('published', 'replay', 3)
    const read = await run('unchanged', 'schedule', 2)
    const last = await run('failed', 'schedule', 4)
    await run('running', 'schedule', 5, null)
    await run('failed', 'schedule', 1)
    const runs = await findQualityRuns(database, owner)
    expect([runs.last?.id, runs.published?.id, runs.read?.id]).toEqual([last, published, read])
    const told = { reason: 'schedule', state: 'failed', startedAt: minutesAfter(4), endedAt: AT, counts: {}, unmapped: [], error: null }
    expect(runs.last).toEqual({ id: last, ...told })
    expect(await findQualityRuns(database, { ...owner, instanceId: neighbour.instanceId })).toEqual({
      last: null,
      published: null,
      read: null,
    })
  })

  it('the last read is that of the connection', async () => {
    const read = (instanceId: string) => findLastRead(database, instanceId, books.connectionId)
    expect(await read(books.instanceId)).toBe(null)
    await database.query('update connections set last_read_at = $2 where id = $1', [books.connectionId, AT])
    expect([await read(books.instanceId), await read(neighbour.instanceId)]).toEqual([AT, null])
  })

  it('a record that is set aside is listed with the newest reason, until a run releases it', async () => {
    const run = { ...books, id: books.runId }
    const later = { ...run, id: await addRun(database, books, { id: randomUUID(), state: 'unchanged' }) }
    const set = (n: number, reason: string, entity: 'Accounts' | 'Transactions' = 'Accounts') => ({
      entity,
      origId: `orig ${n}`,
      reason,
      rawPageId: idOf(n),
      rawIndex: n,
    })
    await quarantineRecords(database, run, [])
    expect(await listQuarantined(database, owner)).toEqual([])
    await quarantineRecords(database, run, [set(2, 'old'), set(1, 'first'), set(1, 'first'), set(3, 'third', 'Transactions')])
    await quarantineRecords(database, later, [{ ...set(2, 'new'), rawPageId: null, rawIndex: 7 }])
    await quarantineRecords(database, { ...neighbour, id: neighbour.runId }, [set(9, 'neighbour')])
    const at = { at: expect.any(Date) }
    const listed = [
      { ...set(1, 'first'), ...at },
      { ...set(2, 'new'), rawPageId: null, rawIndex: 7, ...at },
      { ...set(3, 'third', 'Transactions'), ...at },
    ]
    expect(await listQuarantined(database, owner)).toEqual(listed)
    expect(await readQuarantinePage(database, owner, { limit: 1, offset: 1 })).toEqual({ records: [listed[1]], total: 3 })
    expect(await listQuarantined(database, { ...owner, instanceId: neighbour.instanceId })).toEqual([])
    await releaseQuarantine(database, later, ['Accounts'])
    expect(await listQuarantined(database, owner)).toEqual(listed.slice(1))
    await releaseQuarantine(database, later, ['Accounts', 'Transactions'])
    expect(await listQuarantined(database, owner)).toEqual([listed[1]])
    expect(await listQuarantined(database, { ...neighbour, id: neighbour.connectionId })).toHaveLength(1)
  })

  it('an alias is kept as it was first stored, for its kind', async () => {
    const alias = (n: number, kept = `kept ${n}`) => ({ origId: `new ${n}`, id: idOf(n), keptOrigId: kept })
    const store = (aliases: ReturnType<typeof alias>[], entity: 'Accounts' | 'Transactions' = 'Accounts', of = books) =>
      inTransaction(database, (db) => insertAliases(db, of, entity, aliases))
    await store([])
    await store([alias(1), alias(2)])
    await store([alias(1, 'other'), alias(3)])
    await store([alias(4)], 'Transactions')
    await store([alias(5)], 'Accounts', neighbour)
    const ordered = (found: ReturnType<typeof alias>[]) => found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(ordered(await listAccountAliases(database, books))).toEqual([1, 2, 3].map((n) => alias(n)))
    expect(ordered(await findAliases(database, books, 'Accounts', ['new 1', 'new 3', 'new 4', 'new 5']))).toEqual([alias(1), alias(3)])
    expect(await findAliases(database, books, 'Transactions', ['new 1', 'new 4'])).toEqual([alias(4)])
    const many = Array.from({ length: 1_001 }, (_, n) => ({ origId: `many ${n}`, id: randomUUID(), keptOrigId: 'k' }))
    await store(many)
    expect(await listAccountAliases(database, books)).toHaveLength(1_004)
  })

  it('the accounts that a publication changes are listed before and after, by id', async () => {
    await addVersion(database, books, { id: idOf(1), doc: { n: 1 }, validTo: AT })
    await addVersion(database, books, { id: idOf(1), doc: { n: 2 }, validFrom: AT })
    await addVersion(database, books, { id: idOf(2), doc: { n: 3 }, validTo: AT, deleted: true })
    await addVersion(database, books, { id: idOf(2), doc: { n: 4 }, validFrom: AT, deleted: true })
    await addVersion(database, books, { id: idOf(3), doc: { n: 5 }, validFrom: AT })
    await addVersion(database, books, { id: idOf(4), doc: { n: 6 }, validFrom: minutesAfter(1) })
    await addVersion(database, books, { id: idOf(5), entity: 'Transactions', validFrom: AT })
    await addVersion(database, books, { id: idOf(6), entity: 'Transactions', validFrom: AT, deleted: true })
    await addVersion(database, books, { id: idOf(7), entity: 'Transactions' })
    await addVersion(database, neighbour, { id: idOf(8), validFrom: AT })
    const changes = []
    for await (const change of listAccountChanges(database, books, AT)) changes.push(change)
    expect(changes).toEqual([
      { id: idOf(1), after: '{"n":2}', before: '{"n":1}', isDeleted: false, wasDeleted: false },
      { id: idOf(2), after: '{"n":4}', before: '{"n":3}', isDeleted: true, wasDeleted: true },
      { id: idOf(3), after: '{"n":5}', before: null, isDeleted: false, wasDeleted: false },
    ])
    expect([await countAccountChanges(database, books, AT), await countAccountChanges(database, books, minutesAfter(2))]).toEqual([3, 0])
    expect(await countTransactionChanges(database, books, AT)).toEqual({ changeCount: 2, deletedCount: 1 })
    expect(await countTransactionChanges(database, books, minutesAfter(2))).toEqual({ changeCount: 0, deletedCount: 0 })
  })

  it('many changed accounts are listed piece by piece, each once', async () => {
    await database.query(
      `insert into record_versions (instance_id, company_id, service_id, entity, id, valid_from, orig_id, connection_id, doc, content_hash, sort_key, run_id, raw_index, mapping_version)
       select $1, $2, $3, 'Accounts', gen_random_uuid(), $4, n::text, $5, n::text, '', '', $6, 0, 1 from generate_series(1, 1001) n`,
      [books.instanceId, books.companyId, books.serviceId, AT, books.connectionId, books.runId],
    )
    const seen = new Set<string>()
    let last = FIRST_ID
    for await (const { id, after } of listAccountChanges(database, books, AT)) {
      expect(id > last).toBe(true)
      last = id
      seen.add(after)
    }
    expect(seen.size).toBe(1_001)
  })
})

describe('accounts that two services share', () => {
  const test = storeForTests(false)
  const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()]
  let of = { instanceId: '', companyId: '' }
  let other = of
  beforeEach(async () => {
    const { database } = test
    const { instanceId, companyId } = await addBooks(database)
    of = { instanceId, companyId }
    other = { instanceId, companyId: await addCompany(database, instanceId) }
  })
  const match = (account: number, otherAccount: number, reasons: StoredMatch['reasons'] = ['number']): StoredMatch => ({
    ...{ accountId: idOf(account), serviceId: one, otherAccountId: idOf(otherAccount), otherServiceId: two, reasons },
  })

  it('are stored in one order, replaced as a whole, and keep their rows where they stay', async () => {
    const { database } = test
    await replaceAccountMatches(database, of, [match(4, 3), match(1, 2)])
    const turned = { accountId: idOf(3), serviceId: two, otherAccountId: idOf(4), otherServiceId: one, reasons: ['number'] }
    expect(await listAccountMatches(database, of)).toEqual([match(1, 2), turned])
    const rows = async () =>
      (
        await database.query('select account_id as id, xmin::text as row from account_matches where company_id = $1 order by 1', [
          of.companyId,
        ])
      ).rows
    const before = await rows()
    await replaceAccountMatches(database, of, [match(1, 2), match(3, 4, ['name'])])
    expect(await listAccountMatches(database, of)).toEqual([match(1, 2), { ...turned, reasons: ['name'] }])
    const after = await rows()
    expect([after[0], after[1]?.row === before[1]?.row]).toEqual([before[0], false])
    await replaceAccountMatches(database, other, [match(5, 6)])
    await replaceAccountMatches(database, of, [])
    expect([await listAccountMatches(database, of), await listAccountMatches(database, other)]).toEqual([[], [match(5, 6)]])
  })

  it('of a company that is gone are not stored', async () => {
    const gone = { instanceId: of.instanceId, companyId: randomUUID() }
    await replaceAccountMatches(test.database, gone, [match(1, 2)])
    expect(await listAccountMatches(test.database, gone)).toEqual([])
  })

  it('go with the service of either', async () => {
    const { database } = test
    const third = { ...match(7, 8), serviceId: three }
    for (const company of [of, other])
      await replaceAccountMatches(database, company, [match(1, 2), { ...match(3, 4), serviceId: two, otherServiceId: three }, third])
    await deleteMatchesOfService(database, of, one)
    expect((await listAccountMatches(database, of)).map(({ accountId }) => accountId)).toEqual([3, 7].map(idOf))
    await deleteMatchesOfService(database, of, two)
    expect([await listAccountMatches(database, of), await listAccountMatches(database, other)]).toEqual([
      [],
      expect.arrayContaining([third]),
    ])
  })

  it('are looked for by one job for a company', async () => {
    const { database } = test
    await database.query('delete from jobs')
    for (const company of [of, of, other]) await queueAccountMatching(database, company)
    const { rows } = await database.query('select instance_id as "instanceId", kind, key, payload from jobs order by key')
    expect(rows).toEqual(
      [of, other]
        .map(({ instanceId, companyId }) => ({
          instanceId,
          kind: 'accountMatches',
          key: `accountMatches/${instanceId}/${companyId}`,
          payload: { companyId },
        }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    )
  })
})
