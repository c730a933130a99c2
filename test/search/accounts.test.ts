import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/store/db/database.ts'
import { indexNext, toAccountWords } from '../../src/store/search/account-words.ts'
import { disconnect } from '../../src/sync/connection/connection-actions.ts'
import { openApiHarness } from '../api/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

interface Found {
  id: string
  origId: string
  name: string
  number: string
  companyName: string
  category: string
}

const ACCOUNTS = [
  { id: 'a-1', name: 'Compte chèques Œuvre', balance: '1', number: '000123456789' },
  { id: 'a-2', name: 'Compte d’épargne', balance: '2', number: '000987654321' },
  { id: 'a-3', name: 'Opérations "principales"', balance: '3' },
]

const api = openForTests(() => openApiHarness())
let bankConnection: string
beforeAll(async () => {
  api.syncHarness.deps.readLeaseMs = 0
  const { rows } = await api.syncHarness.deps.database.query<{ id: string }>('select id from connections where service_id = $1', [
    api.syncHarness.serviceId(api.bank),
  ])
  bankConnection = rows[0]?.id ?? ''
})
beforeEach(() => showAtBank(ACCOUNTS))
afterEach(() => showAtBank(ACCOUNTS))

async function showAtBank(accounts: typeof api.bank.accounts): Promise<void> {
  api.bank.accounts = accounts
  await api.syncHarness.sync(bankConnection)
}

async function search(words: string, app = api.app, token = api.tokens.admin): Promise<Found[]> {
  const url = `/normalized-data/accounts?${new URLSearchParams({ search: words })}`
  if (app === api.app && token === api.tokens.admin) return (await api.call('GET', url)).json().data as unknown as Found[]
  return (await app.inject({ url: `/admin/api/v1${url}`, headers: { authorization: `Bearer ${token}` } })).json().data
}

const names = async (words: string) => (await search(words)).map(({ name }) => name).sort()

const stored = async () => {
  const { rows } = await api.syncHarness.deps.database.query<{ id: string; word: string }>(
    'select id, word from account_words where company_id = $1 order by 1, 2',
    [api.syncHarness.companyId],
  )
  return rows
}

describe('accounts of an instance', () => {
  it.each([
    ['a word in the middle, without accents', 'cheques', ['Compte chèques Œuvre']],
    ['the beginning of a word', 'CHÈ', ['Compte chèques Œuvre']],
    ['a ligature', 'oeuvre', ['Compte chèques Œuvre']],
    ['several words in any order', 'epar comp', ['Compte d’épargne']],
    ['a word behind a quotation mark', 'principales', ['Opérations "principales"']],
    ['a word that two have', 'compte', ['Compte chèques Œuvre', 'Compte d’épargne']],
    ['words of two accounts', 'cheques epargne', []],
    ['letters inside a word', 'heques', []],
    // NOTE a digit could be the beginning of an id as well.
    ['words of the books', 'account', Array.from({ length: 12 }, (_, index) => `Account ${index}`).sort()],
    ['a fill character of LIKE', '%', []],
  ])('are found by %s', async (_, words, expected) => {
    expect(await names(words)).toEqual(expected)
  })

  it('are found by either id and its beginning, with their company', async () => {
    const [one] = await search('a-1')
    expect(one).toMatchObject({ origId: 'a-1', category: 'Banking', name: 'Compte chèques Œuvre' })
    expect(await search(one?.id ?? '')).toEqual([one])
    expect((await search((one?.id ?? '').slice(0, 11).toUpperCase())).map(({ id }) => id)).toEqual([one?.id])
    const { rows } = await api.syncHarness.deps.database.query('select name from companies where id = $1', [api.syncHarness.companyId])
    expect(one?.companyName).toBe(rows[0]?.name)
  })

  it('follow a new name, a deletion and a return, at the next search', async () => {
    const [first, ...others] = ACCOUNTS
    await showAtBank([{ ...first, id: 'a-1', name: 'Marge de crédit', balance: '1' }, ...others])
    expect([await names('cheques'), await names('marge')]).toEqual([[], ['Marge de crédit']])
    await showAtBank(others)
    expect([await names('marge'), await names('compte')]).toEqual([[], ['Compte d’épargne']])
    expect((await stored()).filter(({ word }) => word === 'marge' || word === 'cheques')).toEqual([])
    await showAtBank(ACCOUNTS)
    expect(await names('cheques')).toEqual(['Compte chèques Œuvre'])
  })

  it('are stored and removed beyond one step of 200', async () => {
    const list = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => ({ id: `m-${n}`, name: `${name} ${n}`, balance: '1' }))
    const countWith = async (word: string) => (await stored()).filter((row) => row.word === word).length
    for (const [count, name] of [
      [501, 'marge'],
      [501, 'placement'],
      [400, 'placement'],
    ] as const) {
      await showAtBank(list(count, name))
      expect(await names(`${name} 399`)).toContain(`${name} 399`)
      expect([await countWith('marge'), await countWith('placement')]).toEqual(name === 'marge' ? [count, 0] : [0, count])
    }
  })

  it('are not found by another instance', async () => {
    const other = await api.openOtherInstance()
    expect(await search('compte')).toHaveLength(2)
    expect(await search('compte', api.app, other.token)).toEqual([])
    const [one] = await search('a-1')
    expect(await search(one?.id ?? '', api.app, other.token)).toEqual([])
  })
})

it('the words of publications from before the upgrade are stored by a walk, once', async () => {
  const { database } = api.syncHarness.deps
  await search('compte')
  const before = await stored()
  expect(before.length).toBeGreaterThan(20)
  await database.query('delete from account_words')
  await database.query('delete from indexed_publications')
  const steps: string[] = []
  while (steps.at(-1) !== 'done') steps.push(await inTransaction(database, indexNext))
  expect(steps).toEqual(['more', 'done'])
  expect(await stored()).toEqual(before)
  await database.query('delete from account_words')
  expect(await inTransaction(database, indexNext)).toBe('done')
  expect(await stored()).toEqual([])
  await api.syncHarness.deps.database.query(`update publications set version = version + 1`)
  expect(await names('cheques')).toEqual(['Compte chèques Œuvre'])
})

it('no words are left of a connection that has ended', async () => {
  await search('compte')
  const { instanceId, companyId, deps } = api.syncHarness
  const target = { instanceId, companyId, serviceId: api.syncHarness.serviceId(api.bank) }
  await disconnect(deps, target)
  const words = new Set((await stored()).map(({ word }) => word))
  expect([words.has('compte'), words.has('account')]).toEqual([false, true])
  expect(await names('compte')).toEqual([])
})

it('a number is found by its last four digits, and long names are cut', () => {
  const words = toAccountWords({ id: 'ID', origId: 'Own-7', name: `${'x'.repeat(100)} ${'word '.repeat(40)}`, number: '1200-4567' })
  expect(words).toEqual(['ID', 'own-7', '1200', '4567', 'x'.repeat(40), 'word'])
  expect(toAccountWords({ id: 'i', origId: '', name: '', number: '••••0059' })).toEqual(['i', '0059'])
  const many = Array.from({ length: 90 }, (_, n) => `w${n}`).join(' ')
  expect(toAccountWords({ id: 'i', origId: 'o', name: many, number: '' })).toHaveLength(24)
})
