import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Answers, SourceItem } from '../contract/contract.ts'
import type { MapContext } from '../contract/mapping.ts'
import { fdxConnector } from './client.ts'
import { listFaults, type Profile } from './profile.ts'
import type { FdxAccount, FdxTransaction } from './wire.ts'

const file = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url))
const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const profile = JSON.parse(readFileSync(new URL('examples/fdx-ohio-valley.json', import.meta.url), 'utf8')) as Profile
const { pulls, entities } = fdxConnector(profile)

interface Mapped {
  origId: string
  [field: string]: unknown
}

function mapAll(entity: 'Accounts' | 'Transactions', answers: Answers): { records: Record<string, Mapped>; unmapped: string[] } {
  const unmapped: string[] = []
  const context: MapContext = { fetchedAt: new Date('2026-11-20T08:00:00Z'), unmapped: (field, word) => unmapped.push(`${field} ${word}`) }
  const records: Record<string, Mapped> = {}
  const pull = pulls.find(({ delivers }) => delivers.includes(entity))
  for (const item of pull?.read(answers) ?? []) {
    if (!('wire' in item)) continue
    const fields = Object.entries(entities[entity]?.map.fields ?? {})
    records[item.origId] = Object.fromEntries(fields.map(([field, read]) => [field, read(item.wire, context)])) as Mapped
  }
  return { records, unmapped }
}

const about = (isFraction: boolean) => text({ provider: 'Test Bank', isFraction, currency: null })
const six = mapAll('Accounts', { list: file('accounts-v6.json'), about: about(false) })
const five = mapAll('Accounts', { list: file('accounts-v5.json'), about: about(true) })

const mapOne = (account: Record<string, unknown>, more: Partial<FdxAccount> = {}) =>
  mapAll('Accounts', {
    list: text({ accounts: [{ accountId: 'a', accountCategory: 'LOAN_ACCOUNT', ...account }] }),
    about: text({ provider: 'Test Bank', isFraction: false, currency: null, ...more }),
  }).records.a

function mapMovement(changes: Partial<FdxTransaction['transaction']>): Mapped | undefined {
  const row = {
    transactionId: 't',
    amount: 5,
    debitCreditMemo: 'DEBIT',
    status: 'POSTED',
    transactionTimestamp: '2026-11-16T14:30:00Z',
    ...changes,
  }
  const parts = [{ name: 'rows-0', accountId: 'a', currency: 'CAD' }]
  return mapAll('Transactions', { 'rows-0': text({ transactions: [row] }), about: text({ parts, gone: [] }) }).records['a/t']
}

describe('accounts', () => {
  it('of version 6 are read flat, those of versions 4 and 5 out of what wraps them', () => {
    const kinds = [...Object.values(six.records), ...Object.values(five.records)].map(({ kind }) => Object.values(kind as object).join('/'))
    expect(kinds).toEqual([
      ...['Cash/Checking', 'CreditCards/BusinessCard', 'Other/Unknown', 'Cash/Savings', 'Loans/BusinessLoan', 'Loans/Heloc'],
      ...['Investments/EducationSavings', 'Insurance/LifeInsurance', 'Investments/Annuity', 'Loans/CommercialLoan', 'Other/OtherAsset'],
    ])
  })

  it('show the last four of a number, however the bank masks', () => {
    expect(Object.values(six.records).map(({ accountNumber }) => accountNumber)).toEqual(['••••7054', '••••1009', ''])
    expect(mapOne({ accountNumberDisplay: '4520341234567890' })?.accountNumber).toBe('••••7890')
    expect(mapOne({ accountNumberDisplay: 'xxxxxxxx' })?.accountNumber).toBe('')
  })

  it('keep words that nobody knows alive and count them', () => {
    expect(six.unmapped).toEqual(['accountStatusSystem MISLAID', 'kind HOLOGRAM_ACCOUNT', 'kind SPARKLE'])
    expect(six.records['x-1']?.accountStatusSystem).toBe('ACTIVE')
  })

  it('leave unsaid what the bank does not say: never 0', () => {
    const said = Object.entries(five.records['a-1'] ?? {}).filter(([, value]) => value !== null && value !== '')
    expect(Object.fromEntries(said)).toEqual({
      ...{ origId: 'a-1', providerName: 'Test Bank', accountStatusSystem: 'ACTIVE', actualBalanceDate: '2026-11-20T08:00:00.000+00:00' },
      accountName: 'Annuity',
      kind: { type: 'Investments', subType: 'Annuity' },
    })
  })

  it('without a name are called by what they are and the end of their number', () => {
    const deposit = { accountCategory: 'DEPOSIT_ACCOUNT', accountType: 'CHECKING', accountNumberDisplay: 'xxxx7054' }
    expect(mapOne(deposit)?.accountName).toBe('Checking ••••7054')
    expect(mapOne({ ...deposit, nickname: ' ', productName: null })?.accountName).toBe('Checking ••••7054')
    expect(mapOne({ ...deposit, accountNumberDisplay: null })?.accountName).toBe('Checking')
    expect(mapOne({ accountCategory: 'HOLOGRAM_ACCOUNT', accountNumberDisplay: '7054' })?.accountName).toBe('Account ••••7054')
    expect(mapOne({ ...deposit, description: 'Exploitation' })?.accountName).toBe('Exploitation')
  })

  it('without a type are what their name says, as far as it fits the category', () => {
    const kindOf = (account: Record<string, unknown>) => Object.values(mapOne(account)?.kind ?? {}).join('/')
    expect(kindOf({ accountCategory: 'DEPOSIT_ACCOUNT', productName: 'American Express Savings' })).toBe('Cash/Savings')
    expect(kindOf({ accountCategory: 'LOC_ACCOUNT', productName: 'Visa Infinite' })).toBe('CreditCards/CreditCard')
    expect(kindOf({ accountCategory: 'LOC_ACCOUNT', productName: 'Savings' })).toBe('Loans/LineOfCredit')
    expect(kindOf({ accountCategory: null, productName: 'Prêt hypothécaire' })).toBe('Loans/Mortgage')
    expect(kindOf({ accountCategory: null, accountType: 'SPARKLE', nickname: 'Tax-Free Savings Account' })).toBe(
      'Investments/RegisteredPlan',
    )
  })

  it('that neither a type nor a name tells apart are counted', () => {
    const heard = (account: Record<string, unknown>) =>
      mapAll('Accounts', { list: text({ accounts: [{ accountId: 'a', ...account }] }), about: about(false) }).unmapped
    expect(heard({ productName: 'Zeta 7' })).toEqual(['kind Zeta #'])
    expect(heard({ accountCategory: 'LOAN_ACCOUNT' })).toEqual(['kind no name'])
    expect(heard({ accountCategory: 'DEPOSIT_ACCOUNT', accountType: 'SPARKLE', productName: 'Zeta' })).toEqual(['kind SPARKLE'])
  })

  it('keep the signs: what is owed is positive, overdrawn is negative', () => {
    expect([five.records['d-1']?.actualBalance, five.records['l-1']?.actualBalance, six.records['c-1']?.actualBalance]).toEqual([
      ...['-12.34', '87500', '3200'],
    ])
  })

  it('never read what is owed from what may still be drawn', () => {
    expect(mapOne({ accountType: 'LINEOFCREDIT', availableBalance: 9 })?.actualBalance).toBeNull()
    expect(mapOne({ accountCategory: 'DEPOSIT_ACCOUNT', accountType: 'CHECKING', availableBalance: 9 })?.actualBalance).toBe('9')
  })

  it('give rates in percent; fractions only where the profile says so', () => {
    expect([five.records['d-1']?.interestRate, five.records['l-1']?.interestRate, six.records['c-1']?.interestRate]).toEqual([
      ...['1.25', '6.99', '19.99'],
    ])
    expect(mapOne({ interestRate: 0.75 })?.interestRate).toBe('0.75')
    expect(mapOne({ interestRate: 7.25 }, { isFraction: true })?.interestRate).toBe('7.25')
    expect(mapOne({ interestRate: '15.789%' }, { isFraction: true })?.interestRate).toBe('15.789')
  })

  it('take dues from the first bill where the account itself has none, and days without shifting them', () => {
    const card = six.records['c-1']
    expect([card?.dueDate, card?.amountDue, card?.minimumAmountDue]).toEqual(['2026-12-15T00:00:00+00:00', '3200', '64.5'])
    expect(five.records['l-1']?.maturityDate).toBe('2030-04-01T00:00:00+00:00')
    expect(() => mapOne({ nextPaymentDate: '2026-02-30' })).toThrow('no such day')
  })

  it('name the lender of a loan, and tell business from personal by category, type or line of business', () => {
    expect([five.records['l-1']?.lender, five.records['k-1']?.lender]).toEqual(['Buckeye Leasing', 'Test Bank'])
    expect([six.records['d-1'], five.records['k-1'], five.records['l-1']].map((each) => each?.userAccountClassification)).toEqual([
      ...['BUSINESS', 'BUSINESS', 'BUSINESS'],
    ])
    expect(mapOne({ lineOfBusiness: 'CONSUMER' })?.userAccountClassification).toBe('PERSONAL')
    expect(mapOne({ lineOfBusiness: 'LBRB' })?.userAccountClassification).toBeNull()
  })
})

describe('transactions', () => {
  const parts = [{ name: 'rows-0', accountId: 'd-1', currency: 'cad' }]
  const { records } = mapAll('Transactions', { 'rows-0': file('transactions.json'), about: text({ parts, gone: [] }) })

  it('have the account before their id, which is unique within it only', () => {
    expect(Object.keys(records)).toEqual(['d-1/t-1', 'd-1/t-2'])
  })

  it('are booked on the day that the bank names, in its own zone', () => {
    expect(Object.values(records).map(({ postedOn, transactionOn, isPending }) => [postedOn, transactionOn, isPending])).toEqual([
      ['2026-11-18', '2026-11-16', false],
      [null, '2026-11-19', true],
    ])
  })

  it.each([
    ['DEBIT', 5, '-5'],
    ['debit', -5, '-5'],
    ['CREDIT', '5.00', '5'],
    ['MEMO', 5, '-5'],
  ])('%s of %s is %s: the word decides', (debitCreditMemo, amount, expected) => {
    expect(mapMovement({ debitCreditMemo, amount })?.amount).toBe(expected)
  })

  it.each<[string, Partial<FdxTransaction['transaction']>, boolean]>([
    ['POSTED', { status: 'POSTED' }, false],
    ['posted', { status: 'posted' }, false],
    ['PENDING', { status: 'PENDING' }, true],
    ['AUTHORIZATION', { status: 'AUTHORIZATION', postedTimestamp: '2026-11-18T00:00:00Z' }, true],
    ['MEMO', { status: 'MEMO', postedTimestamp: '2026-11-18T00:00:00Z' }, true],
    ['POSTED of a memo', { status: 'POSTED', debitCreditMemo: 'memo', postedTimestamp: '2026-11-18T00:00:00Z' }, true],
    ['nothing, with a day of booking', { status: null, postedTimestamp: '2026-11-18T00:00:00Z' }, false],
    ['nothing, without a day of booking', { status: null }, true],
  ])('whose status is %s are booked or to be booked, and only what is booked has a day', (_word, said, isPending) => {
    const mapped = mapMovement(said)
    expect([mapped?.isPending, mapped?.postedOn === null]).toEqual([isPending, isPending])
  })

  it('without a direction are refused', () => {
    expect(() => mapMovement({ debitCreditMemo: 'SIDEWAYS' })).toThrow('whether money came in')
  })

  it('in the list of another account are set aside, not given a currency', () => {
    const pull = pulls.find(({ name }) => name === 'transactions')
    const row = { transactionId: 't', accountId: 'elsewhere', amount: 5, debitCreditMemo: 'DEBIT' }
    const items: SourceItem[] = [...(pull?.read({ 'rows-0': text({ transactions: [row] }), about: text({ parts, gone: [] }) }) ?? [])]
    expect(items).toEqual([{ entity: 'Transactions', origId: 'elsewhere/t', unreadable: 'a transaction in the list of another account' }])
  })
})

describe('a profile', () => {
  it.each([
    ['a place that nothing stands for', { accounts: { path: '/a/{bank}' } }, '"/a/{bank}": nothing stands for {bank}'],
    ['details without an account', { accounts: { path: '/a', details: '/a/x' } }, '/accounts/details names no {accountId}'],
    ['a pushed request without a place', { authorization: { ...profile.authorization, isPushed: true } }, 'has no "pushed"'],
    ['another key than its file', { key: 'other' }, '/key is "other"'],
    ['institutions of a bank', { institutions: { listed: true, countries: ['US'] } }, '/institutions is for a route'],
  ])('with %s is refused', (_what, changes, fault) => {
    expect(listFaults('fdx-ohio-valley', { ...profile, ...changes }).join('\n')).toContain(fault)
  })

  it('that is sound has no faults', () => {
    expect(listFaults('fdx-ohio-valley', profile)).toEqual([])
  })
})
