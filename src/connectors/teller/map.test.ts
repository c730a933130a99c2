import { readFileSync } from 'node:fs'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import type { BankAccountKind } from '../../model/records/banking.ts'
import { mapRecord, NO_UNMAPPED } from '../toolkit/test-mapping.ts'
import { accountsPull } from './accounts.ts'
import { toBankAccount, toBankTransaction } from './map.ts'
import { transactionsPull } from './transactions.ts'
import { toKind } from './type-table.ts'
import { TellerAccount, TellerTransaction } from './wire.ts'

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.json`, import.meta.url))
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const page = {
  accounts: fixture('accounts'),
  slice: encode({ after: '', upTo: null }),
  'balances:acc_checking': encode({ account_id: 'acc_checking', ledger: '18430.55', available: '17900.00' }),
  'balances:acc_card': encode({ ledger: '2310.45', available: '12689.55' }),
  'balances:acc_unnumbered': encode({ ledger: null, available: '-12.10' }),
  'details:acc_unnumbered': encode({
    account_id: 'acc_unnumbered',
    account_number: '12345678906677',
    routing_numbers: { ach: '121000248' },
  }),
}

function account(id: string, changes: object = {}, unmapped: string[] = []): Record<string, unknown> {
  const item = [...accountsPull.read(page)].find((each) => each.origId === id)
  if (!item || !('wire' in item) || !Check(TellerAccount, item.wire)) throw new Error(`no account ${id}`)
  return mapRecord(toBankAccount, { ...item.wire, account: { ...item.wire.account, ...changes } }, FETCHED_AT, unmapped)
}

function transaction(id: string, type: string): Record<string, unknown> {
  const answers = { transactions: fixture('transactions'), account: encode({ id: 'acc_card', type, currency: 'usd' }) }
  const item = [...transactionsPull.read(answers)].find((each) => each.origId === id)
  if (!item || !('wire' in item) || !Check(TellerTransaction, item.wire)) throw new Error(`no transaction ${id}`)
  return mapRecord(toBankTransaction, item.wire, FETCHED_AT)
}

describe('accounts', () => {
  test('a checking account, with nulls where Teller says nothing', () => {
    expect(account('acc_checking')).toEqual({
      ...NO_UNMAPPED,
      origId: 'acc_checking',
      providerName: 'Peña Valley Bank',
      accountName: 'Business Checking',
      accountNumber: '••••4410',
      accountStatusSystem: 'ACTIVE',
      kind: { type: 'Cash', subType: 'Checking' },
      currency: 'USD',
      actualBalance: '18430.55',
      actualBalanceDate: '2026-11-20T08:00:00.500+00:00',
      sourceUpdatedDate: null,
    })
  })

  test('a card owes its ledger, positive, and what is left is credit and never a balance', () => {
    expect(account('acc_card')).toMatchObject({ actualBalance: '2310.45', availableCredit: '12689.55', currency: 'USD' })
  })

  test('without the end of a number in the listing that of the details is shown, and no more of it', () => {
    const shown = account('acc_unnumbered')
    expect(shown).toMatchObject({ accountNumber: '••••6677', currency: 'CAD', actualBalance: '-12.1' })
    const wires = [...accountsPull.read(page)].map((item) => ('wire' in item ? item.wire : null))
    expect(JSON.stringify(wires)).not.toContain('123456789')
  })

  test('a closed account is kept, without a balance', () => {
    expect(account('acc_closed')).toMatchObject({ accountStatusSystem: 'CLOSED', actualBalance: null, actualBalanceDate: null })
  })

  test.each<[string | null, string | null, BankAccountKind, number]>([
    ['depository', 'money_market', { type: 'Cash', subType: 'Mmda' }, 0],
    ['depository', 'certificate_of_deposit', { type: 'Cash', subType: 'Cd' }, 0],
    ['depository', 'treasury', { type: 'Cash', subType: 'OtherCash' }, 0],
    ['depository', 'sweep', { type: 'Cash', subType: 'OtherCash' }, 0],
    ['depository', null, { type: 'Cash', subType: 'OtherCash' }, 0],
    ['depository', 'points_vault', { type: 'Cash', subType: 'OtherCash' }, 1],
    ['credit', 'charge', { type: 'CreditCards', subType: 'OtherCard' }, 1],
    ['loan', 'mortgage', { type: 'Other', subType: 'Unknown' }, 1],
    ['constructor', 'toString', { type: 'Other', subType: 'Unknown' }, 1],
  ])('%s/%s is %j', (type, subtype, kind, unknown) => {
    const words: string[] = []
    expect([toKind(type, subtype, (word) => words.push(word)), words.length]).toEqual([kind, unknown])
  })

  test('an unknown status is counted, and the account lives', () => {
    const unmapped: string[] = []
    expect(account('acc_checking', { status: 'dormant' }, unmapped).accountStatusSystem).toBe('ACTIVE')
    expect(unmapped).toEqual(['accountStatusSystem: dormant'])
  })
})

describe('transactions', () => {
  test('a pending purchase on a card is money out, with no day of booking', () => {
    expect(transaction('txn_pending', 'credit')).toEqual({
      origId: 'txn_pending',
      accountOrigId: 'acc_card',
      postedOn: null,
      transactionOn: '2026-11-19',
      amount: '-33.35',
      currency: 'USD',
      description: 'SQ *CAFÉ DU NORD',
      counterparty: '',
      category: '',
      isPending: true,
      runningBalance: null,
    })
  })

  test('what comes in on a card is positive, and booked on its day', () => {
    expect(transaction('txn_payment', 'credit')).toMatchObject({
      amount: '120',
      postedOn: '2026-11-17',
      category: 'loan',
      runningBalance: '2311.1',
    })
  })

  test('an amount of an account keeps its sign', () => {
    expect(transaction('txn_payment', 'depository').amount).toBe('-120')
  })
})
