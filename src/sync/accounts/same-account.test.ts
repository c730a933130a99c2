import { describe, expect, it } from 'vitest'
import { UNKNOWN_BANK } from './bank-identity.ts'
import type { Movement } from './compare-movements.ts'
import { type AccountEvidence, findReasons } from './same-account.ts'

const HARBOR = { ...UNKNOWN_BANK, names: ['Harbor'] }
const HARBOR_HILL = { ...UNKNOWN_BANK, names: ['Harbor Hill'] }
const VALLEY = { ...UNKNOWN_BANK, names: ['Valley'] }
const HOUR_MS = 3_600_000

const PLAIN: AccountEvidence = {
  ...{ bank: HARBOR, ending: '4410', numbers: [], currency: 'CAD', type: 'Cash', subType: 'Checking' },
  ...{ balance: null, balanceAt: null, movements: null },
}
const account = (known: Partial<AccountEvidence> = {}): AccountEvidence => ({ ...PLAIN, ...known })
/** Codes of the reasons; null where the two are not said to be the same. Either may be the first. */
function codes(one: Partial<AccountEvidence>, other: Partial<AccountEvidence> = one): string[] | null {
  const [there, back] = [findReasons(account(one), account(other)), findReasons(account(other), account(one))]
  expect(back).toEqual(there)
  return there?.map(({ code }) => code) ?? null
}

const BALANCE = { balance: '1234.56', balanceAt: 0 }
const BY_BALANCE = ['sameBalance', 'sameEnding', 'sameBank']

/** Transactions of different amounts; `apart` have no partner in the list with another sign of `apart`. */
function movements(pairs: number, { apart = 0, round = 0, text = '' } = {}) {
  const list: Movement[] = Array.from({ length: pairs }, (_, at) => ({
    day: 100 + at,
    amount: at < round ? `${at + 1}0` : `${at + 1}.25`,
    text,
  }))
  for (let at = 0; at < Math.abs(apart); at += 1) list.push({ day: 110 + at, amount: `${apart > 0 ? '' : '-'}9${at}.75`, text })
  return { movements: { from: 0, until: 500, list } }
}

describe('what contradicts', () => {
  it.each<[string, Partial<AccountEvidence>]>([
    ['another currency', { currency: 'USD' }],
    ['another type', { type: 'Loans', subType: 'Mortgage' }],
    ['a card', { type: 'CreditCards', subType: 'CreditCard' }],
    ['a savings account', { subType: 'Savings' }],
    ['a term deposit', { subType: 'Cd' }],
    ['a money market account', { subType: 'Mmda' }],
    ['another ending', { ending: '4411' }],
    ['another ending, shorter', { ending: '1' }],
    ['another number', { numbers: ['99999999'] }],
  ])('is %s', (_, other) => {
    expect(codes({ ...BALANCE, numbers: ['12345678'] }, { ...BALANCE, numbers: ['12345678'], ...other })).toBeNull()
  })

  it.each<[string, Partial<AccountEvidence>, Partial<AccountEvidence>]>([
    ['a currency that is not known', {}, { currency: '' }],
    ['another kind of savings', { subType: 'Savings' }, { subType: 'Mmda' }],
    ['a kind of cash that may be any', { subType: 'Savings' }, { subType: 'OtherCash' }],
    ['an ending in capital letters', { ending: '441a' }, { ending: '441A' }],
    ['a longer ending', { ending: '410' }, { ending: '4410' }],
  ])('is not %s', (_, one, other) => {
    expect(codes({ ...BALANCE, ...one }, { ...BALANCE, ...other })).toEqual(BY_BALANCE)
  })
})

describe('a number', () => {
  it.each([
    ['of eight digits', ['12345678'], ['1234 5678'], ['sameNumber', 'sameBank']],
    ['among others', ['99999999', '12345678'], ['12345678'], ['sameNumber', 'sameBank']],
    ['with zeros before it', ['0012345678'], ['12345678'], ['sameNumber', 'sameBank']],
    ['of seven digits', ['1234567'], ['1234567'], null],
    ['behind the number of a branch', ['00112345678'], ['12345678'], null],
    ['that is too short to contradict', ['99999'], ['12345678'], null],
  ])('%s', (_, one, other, reasons) => {
    expect(codes({ numbers: one }, { numbers: other })).toEqual(reasons)
  })

  it('is enough where the banks are alike, and not where they are apart or unknown', () => {
    const numbers = ['12345678']
    expect(codes({ numbers, bank: HARBOR }, { numbers, bank: HARBOR_HILL })).toEqual(['sameNumber'])
    expect(codes({ numbers, bank: HARBOR }, { numbers, bank: VALLEY })).toBeNull()
    expect(codes({ numbers, bank: HARBOR }, { numbers, bank: UNKNOWN_BANK })).toBeNull()
  })

  it('names its bank where it is an IBAN', () => {
    const numbers = ['DE89 3704 0044 0532 0130 00']
    expect(codes({ numbers }, { numbers: ['DE89370400440532013000'], bank: VALLEY })).toEqual(['sameNumber'])
    expect(codes({ numbers: ['DX89370400440532013000Z'] }, { numbers: ['DX8937040044053201300'], bank: VALLEY })).toBeNull()
    expect(codes({ numbers: ['D189370400440532013000'], bank: VALLEY }, { numbers: ['D189370400440532013000'] })).toBeNull()
  })

  it('is enough at an unknown bank with transactions that all have a partner', () => {
    const numbers = ['12345678']
    const unknown = { numbers, bank: UNKNOWN_BANK, ending: '' }
    expect(codes({ ...unknown, ...movements(1) })).toEqual(['sameNumber', 'sameTransactions'])
    expect(codes({ ...unknown, ...movements(1, { round: 1 }) })).toBeNull()
    expect(codes({ ...unknown, ...movements(1) }, { ...unknown, ...movements(1, { apart: 1 }) })).toBeNull()
    expect(codes({ ...unknown, ...movements(1), type: '' })).toBeNull()
    expect(codes({ ...unknown, ...movements(1), bank: HARBOR }, { ...unknown, ...movements(1), bank: VALLEY })).toBeNull()
  })
})

describe('an equal balance', () => {
  it.each<[string, Partial<AccountEvidence>, string[] | null]>([
    ['at the same time', {}, BY_BALANCE],
    ['72 hours later', { balanceAt: 72 * HOUR_MS }, BY_BALANCE],
    ['after more than 72 hours', { balanceAt: 72 * HOUR_MS + 1 }, null],
    ['that is another', { balance: '1234.57' }, null],
    ['that is not known', { balance: null }, null],
    ['at a time that is not known', { balanceAt: null }, null],
    ['at another bank', { bank: VALLEY }, null],
    ['at a bank that is alike', { bank: HARBOR_HILL }, null],
    ['of a kind that is not known', { type: '' }, null],
    ['of a kind that is another or unknown', { type: 'Other', subType: 'Unknown' }, null],
    ['with two digits of the number only', { ending: '10' }, null],
    ['without a number', { ending: '' }, null],
    ['without transactions on one side', movements(3), BY_BALANCE],
  ])('%s', (_, other, reasons) => {
    expect(codes(BALANCE, { ...BALANCE, ...other })).toEqual(reasons)
  })

  it.each([
    ['123.45', true],
    ['1234.5', true],
    ['0123.4', false],
    ['12.34', false],
    ['-123.45', true],
    ['12345', false],
    ['12345.678', false],
  ])('of %s is evidence: %s', (balance, isEvidence) => {
    expect(codes({ balance, balanceAt: 0 })).toEqual(isEvidence ? BY_BALANCE : null)
  })

  it('is contradicted by a transaction without a partner', () => {
    expect(codes({ ...BALANCE, ...movements(1, { round: 1 }) })).toEqual(BY_BALANCE)
    expect(codes({ ...BALANCE, ...movements(1, { round: 1 }) }, { ...BALANCE, ...movements(1, { round: 1, apart: 1 }) })).toBeNull()
  })

  it('is supported by three transactions where there is no number', () => {
    const unnumbered = { ...BALANCE, ending: '' }
    expect(codes({ ...unnumbered, ...movements(3) })).toEqual(['sameBalance', 'sameTransactions', 'sameBank'])
    expect(codes({ ...unnumbered, ...movements(2) })).toBeNull()
    expect(codes({ ...unnumbered, ...movements(3) }, { ...unnumbered, ...movements(3, { apart: 1 }) })).toBeNull()
    expect(codes({ ...unnumbered, ...movements(3, { text: 'Rent' }) }, { ...unnumbered, ...movements(3, { text: 'Hydro' }) })).toBeNull()
  })
})

describe('transactions in common', () => {
  const unlike = { type: '' }
  /** What is known, how many have to be common where some have no partner, and where all have one. */
  it.each<[string, Partial<AccountEvidence>, Partial<AccountEvidence>, number, number, string[]]>([
    ['with number, bank and kind', {}, {}, 3, 2, ['sameTransactions', 'sameEnding', 'sameBank']],
    ['with number and a bank that is alike', {}, { bank: HARBOR_HILL }, 5, 4, ['sameTransactions', 'sameEnding']],
    ['with number and an unknown bank', {}, { bank: UNKNOWN_BANK }, 5, 4, ['sameTransactions', 'sameEnding']],
    ['with number and bank', unlike, {}, 5, 4, ['sameTransactions', 'sameEnding', 'sameBank']],
    ['with bank and kind', { ending: '' }, {}, 12, 5, ['sameTransactions', 'sameBank']],
    ['with a number, at banks that are apart', {}, { bank: VALLEY }, 12, 8, ['sameTransactions', 'sameEnding']],
    ['with a kind, at an unknown bank', { ending: '' }, { bank: UNKNOWN_BANK }, 12, 8, ['sameTransactions']],
  ])('are enough %s', (_, one, other, most, all, reasons) => {
    const given = (pairs: number, apart: number) =>
      codes({ ...one, ...movements(pairs, { apart: 0 }) }, { ...other, ...movements(pairs, { apart }) })
    expect(given(all, 0)).toEqual(reasons)
    expect(given(all - 1, 0)).toBeNull()
    // Of 18 transactions, more than 85 % have a partner.
    if (most < 12) return
    expect(given(most, 1)).toEqual(reasons)
    expect(given(most - 1, 1)).toBeNull()
  })

  it('are never enough with a kind at banks that are apart, or at one bank with neither number nor kind', () => {
    expect(codes({ ending: '', ...movements(40) }, { bank: VALLEY, ...movements(40) })).toBeNull()
    expect(codes({ ending: '', type: '', ...movements(40) })).toBeNull()
  })

  it('are told with their number and period', () => {
    expect(findReasons(account(movements(2)), account(movements(2)))?.[0]).toEqual({
      ...{ code: 'sameTransactions', overlap: { matched: 2, fewer: 2, from: 0, until: 500 } },
    })
  })

  it('count less where their amounts are round', () => {
    expect(codes(movements(3, { round: 3 }))).toBeNull()
    expect(codes(movements(6, { round: 6 }))).toEqual(['sameTransactions', 'sameEnding', 'sameBank'])
    expect(codes(movements(5, { round: 5 }))).toBeNull()
    expect(codes({ bank: HARBOR_HILL, ...movements(8, { round: 8 }) }, movements(8, { round: 8 }))).toEqual([
      'sameTransactions',
      'sameEnding',
    ])
    expect(codes({ bank: HARBOR_HILL, ...movements(7, { round: 7 }) }, movements(7, { round: 7 }))).toBeNull()
  })

  it('of which 85 of 100 have a partner are enough, and fewer are not', () => {
    expect(codes(movements(17), movements(17, { apart: 3 }))).toEqual(['sameTransactions', 'sameEnding', 'sameBank'])
    expect(codes(movements(16), movements(16, { apart: 3 }))).toBeNull()
  })

  it.each([
    [2, null],
    [3, ['sameTransactions', 'sameEnding', 'sameBank']],
  ])('of which %s in ten have a similar text are enough from three on', (alike, expected) => {
    const { movements: there } = movements(10, { text: 'Hydro' })
    const list = there.list.map((movement, at) => (at < alike ? { ...movement, text: 'Rent' } : movement))
    expect(codes(movements(10, { text: 'Rent of May' }), { movements: { ...there, list } })).toEqual(expected)
  })

  it('of which fewer than three in ten have a similar text are not enough', () => {
    expect(codes(movements(10, { text: 'Rent of May' }), movements(10, { text: 'Hydro' }))).toBeNull()
    expect(codes(movements(10, { text: 'Rent of May' }), movements(10, { text: 'RENT' }))).toEqual([
      'sameTransactions',
      'sameEnding',
      'sameBank',
    ])
  })
})

it('kinds of debts may be one account with enough else', () => {
  const debt = { type: 'Loans', subType: 'LineOfCredit' }
  const card = { type: 'CreditCards', subType: 'CreditCard' }
  expect(codes({ ...debt, ...movements(4) }, { ...card, ...movements(4) })).toEqual(['sameTransactions', 'sameEnding', 'sameBank'])
  expect(codes({ ...debt, ...movements(3) }, { ...card, ...movements(3) })).toBeNull()
  expect(codes({ ...debt, ...movements(9) }, movements(9))).toBeNull()
})
