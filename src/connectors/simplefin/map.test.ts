import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type Json, parseJson } from '../../model/values/json.ts'
import { NO_UNMAPPED, runMapping } from '../toolkit/test-mapping.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { SimplefinAccount, SimplefinTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-07-01T13:00:00.500Z')
const ACCOUNTS = parseJson(readFileSync(new URL('fixtures/accounts.json', import.meta.url), 'utf8')) as Json[]

function account(part: Json | undefined) {
  const wire = { id: 'bank.example/1', account: part }
  expect(Check(SimplefinAccount, wire)).toBe(true)
  return runMapping(toBankAccount, wire, FETCHED_AT)
}

const named = (name: string, balance = '10.00', more: Record<string, Json> = {}) =>
  account({ id: '1', name, balance, currency: 'CAD', ...more })

function movement(row: Record<string, Json>) {
  const wire = { id: 'a/1', account: 'a', currency: 'USD', transaction: { id: '1', amount: '-33293.43', ...row } }
  expect(Check(SimplefinTransaction, wire)).toBe(true)
  return runMapping(toBankTransaction, wire, FETCHED_AT).record
}

describe('accounts, field by field', () => {
  test('a chequing account', () => {
    expect(account(ACCOUNTS[0]).record).toEqual({
      ...NO_UNMAPPED,
      origId: 'bank.example/1',
      providerName: 'Caisse du Lac',
      accountName: 'Compte chèques entreprise (4410)',
      accountNumber: '••••4410',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Cash', subType: 'Checking' },
      currency: 'CAD',
      actualBalance: '18402.55',
      actualBalanceDate: '2026-07-01T12:00:00.000+00:00',
      sourceUpdatedDate: '2026-07-01T12:00:00.000+00:00',
    })
  })

  test('a line of credit: the debt turns positive, the full number in its name is hidden', () => {
    expect(account(ACCOUNTS[1]).record).toMatchObject({
      providerName: 'caisse-du-lac.example',
      accountName: 'Marge de crédit ••••8877',
      accountNumber: '••••8877',
      kind: { type: 'Loans', subType: 'LineOfCredit' },
      lender: 'caisse-du-lac.example',
      actualBalance: '12000',
    })
  })

  test.each([
    ['American Express Savings', '25000.00', 'Cash', 'Savings', '25000'],
    ['Visa Infinite Affaires 7712', '-20.00', 'CreditCards', 'BusinessCard', '20'],
    ['Prêt hypothécaire commercial', '-1000.00', 'Loans', 'Mortgage', '1000'],
    ['Aeroplan Points', '310.00', 'CreditCards', 'RewardPoints', '310'],
  ])('"%s" of %s is %s/%s of %s', (name, balance, type, subType, actualBalance) => {
    expect(named(name, balance).record).toMatchObject({ kind: { type, subType }, actualBalance })
  })

  test('a name that leaves doubt is unknown and counted, and its balance keeps its sign', () => {
    expect(named('Zeta 4410', '-410.00')).toMatchObject({
      record: { kind: { type: 'Other', subType: 'Unknown' }, actualBalance: '-410' },
      unmapped: ['kind: Zeta ####'],
    })
  })

  test('an overdrawn chequing account stays money, and negative', () => {
    expect(named('Business Checking', '-35.19').record).toMatchObject({
      kind: { type: 'Cash', subType: 'Checking' },
      actualBalance: '-35.19',
    })
  })

  test('a card that was paid too much is negative', () => {
    expect(named('Visa', '12.50').record.actualBalance).toBe('-12.5')
  })

  test('a made-up currency is counted, and its account holds points', () => {
    const { record, unmapped } = named('Boréal Plus', '48210', { currency: 'https://www.boreal-air.example/points' })
    expect(record).toMatchObject({ currency: '', kind: { type: 'CreditCards', subType: 'RewardPoints' }, actualBalance: '48210' })
    expect(unmapped).toEqual(['currency: www.boreal-air.example'])
  })

  test('what is not told stays null', () => {
    expect(account({ id: '1' }).record).toMatchObject({ ...NO_UNMAPPED, actualBalance: null, sourceUpdatedDate: null })
  })

  test('a balance that is no number is refused', () => {
    expect(() => named('Visa', 'a lot')).toThrow(RangeError)
  })
})

describe('movements', () => {
  test('one that is booked: the day of UTC, the sign as it comes', () => {
    expect(
      movement({ posted: 793090572, transacted_at: 793004172, description: 'Uncle Frank', payee: 'Frank', extra: { category: 'food' } }),
    ).toMatchObject({
      amount: '-33293.43',
      postedOn: '1995-02-18',
      transactionOn: '1995-02-17',
      description: 'Uncle Frank',
      counterparty: 'Frank',
      category: 'food',
      isPending: false,
      currency: 'USD',
    })
  })

  test('one that is pending has no day of booking', () => {
    expect(movement({ posted: 0, pending: true })).toMatchObject({ postedOn: null, isPending: true })
  })

  test('one that is neither booked nor pending is refused', () => {
    expect(() => movement({ posted: 0 })).toThrow(/no day/)
  })

  test('a full number in a description is hidden', () => {
    expect(movement({ posted: 793090572, description: 'TRANSFER TO 410200005002' }).description).toBe('TRANSFER TO ••••5002')
  })
})
