import { describe, expect, test } from 'vitest'
import { ACCOUNT_TYPES } from '../../model/records/accounting.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping } from './map.ts'
import { isKnownSubtype } from './type-table.ts'
import type { AccountWire } from './wire.ts'

function run(wire: Partial<AccountWire>) {
  return runMapping(accountMapping, { id: 'a', ...wire })
}

const ROWS = [
  ['ASSET', 'CASH_AND_BANK', 'ASSET', 'BANK', ''],
  ['ASSET', 'MONEY_IN_TRANSIT', 'ASSET', 'BANK', 'MONEY_IN_TRANSIT'],
  ['ASSET', 'RECEIVABLE', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['ASSET', 'RECEIVABLE_INVOICES', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['ASSET', 'RECEIVABLE_OTHER', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['ASSET', 'INVENTORY', 'ASSET', 'INVENTORY', ''],
  ['ASSET', 'VENDOR_PREPAYMENTS_AND_CREDITS', 'ASSET', 'PREPAYMENT', ''],
  ['ASSET', 'OTHER_CURRENT_ASSETS', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['ASSET', 'PROPERTY_PLANT_EQUIPMENT', 'ASSET', 'FIXED_ASSET', ''],
  ['ASSET', 'DEPRECIATION_AND_AMORTIZATION', 'ASSET', 'FIXED_ASSET', 'ACCUMULATED_DEPRECIATION'],
  ['EXPENSE', 'DEPRECIATION_AND_AMORTIZATION', 'EXPENSE', 'DEPRECIATION', ''],
  ['ASSET', 'OTHER_LONG_TERM_ASSETS', 'ASSET', 'OTHER_ASSET', ''],
  ['LIABILITY', 'PAYABLE', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['LIABILITY', 'PAYABLE_BILLS', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['LIABILITY', 'PAYABLE_OTHER', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['LIABILITY', 'CREDIT_CARD', 'LIABILITY', 'CREDIT_CARD', ''],
  ['LIABILITY', 'SALES_TAX', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  ['LIABILITY', 'LOANS', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LOAN'],
  ['LIABILITY', 'OTHER_LONG_TERM_LIABILITY', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['LIABILITY', 'DUE_TO_YOU_AND_OTHER_OWNERS', 'LIABILITY', 'LONG_TERM_LIABILITY', 'SHAREHOLDER_LOAN'],
  ['LIABILITY', 'DUE_FOR_PAYROLL', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['LIABILITY', 'CUSTOMER_PREPAYMENTS_AND_CREDITS', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
  ['LIABILITY', 'SYSTEM_CUSTOMER_CREDITS', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
  ['LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['EQUITY', 'RETAINED_EARNINGS', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['EQUITY', 'NON_RETAINED_EARNINGS', 'EQUITY', 'EQUITY', ''],
  ['INCOME', 'INCOME', 'INCOME', 'INCOME', ''],
  ['INCOME', 'DISCOUNTS', 'INCOME', 'INCOME', 'DISCOUNTS'],
  ['INCOME', 'UNCATEGORIZED_INCOME', 'INCOME', 'INCOME', 'UNCATEGORIZED'],
  ['INCOME', 'OTHER_INCOME', 'INCOME', 'OTHER_INCOME', ''],
  ['INCOME', 'GAIN_ON_FOREIGN_EXCHANGE', 'INCOME', 'OTHER_INCOME', 'FX_GAIN_LOSS'],
  ['EXPENSE', 'COST_OF_GOODS_SOLD', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['EXPENSE', 'EXPENSE', 'EXPENSE', 'EXPENSE', ''],
  ['EXPENSE', 'PAYROLL_EXPENSES', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['EXPENSE', 'PAYMENT_PROCESSING_FEES', 'EXPENSE', 'EXPENSE', 'BANK_FEES'],
  ['EXPENSE', 'UNCATEGORIZED_EXPENSE', 'EXPENSE', 'EXPENSE', 'UNCATEGORIZED'],
  ['EXPENSE', 'LOSS_ON_FOREIGN_EXCHANGE', 'EXPENSE', 'OTHER_EXPENSE', 'FX_GAIN_LOSS'],
  ['EQUITY', 'TRANSFERS', 'EQUITY', 'OTHER', ''],
  ['EXPENSE', 'UNKNOWN_ACCOUNT', 'EXPENSE', 'OTHER', ''],
] as const

describe('the account mapping', () => {
  test.each(ROWS)('%s / %s becomes %s, %s, "%s"', (type, subtype, classSystem, typeSystem, subTypeSystem) => {
    const mapped = run({ type: { value: type }, subtype: { value: subtype } })
    expect(mapped).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test('the table above names all 38 subtypes and only types of the model', () => {
    expect(new Set(ROWS.map(([, subtype]) => subtype)).size).toBe(38)
    expect(ROWS.filter(([, subtype, , type]) => !isKnownSubtype(subtype) || !ACCOUNT_TYPES.includes(type))).toEqual([])
  })

  test.each([
    ['ASSET', 'ASSET', 'OTHER_ASSET'],
    ['LIABILITY', 'LIABILITY', 'OTHER_LIABILITY'],
    ['EQUITY', 'EQUITY', 'EQUITY'],
    ['INCOME', 'INCOME', 'INCOME'],
    ['EXPENSE', 'EXPENSE', 'EXPENSE'],
  ])('an unknown subtype of type %s falls back to %s, %s, keeps its word and is counted', (type, classSystem, typeSystem) => {
    const mapped = run({ type: { value: type }, subtype: { value: 'WALLET' } })
    expect(mapped.record).toMatchObject({ classApp: type, typeApp: 'WALLET', classSystem, typeSystem, subTypeSystem: '' })
    expect(mapped.unmapped).toEqual(['typeSystem: WALLET'])
  })

  test('where type and subtype disagree the subtype wins and the source keeps its word', () => {
    const { record } = run({ type: { value: 'LIABILITY' }, subtype: { value: 'CASH_AND_BANK' } })
    expect(record).toMatchObject({ classApp: 'LIABILITY', classSystem: 'ASSET', typeSystem: 'BANK' })
  })

  test('an unknown type is counted', () => {
    expect(run({ type: { value: 'CRYPTO' } })).toMatchObject({
      record: { classSystem: 'UNKNOWN', typeSystem: 'OTHER' },
      unmapped: ['classSystem: CRYPTO'],
    })
  })

  test.each([
    [false, 'isArchived=false', 'ACTIVE'],
    [true, 'isArchived=true', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('isArchived %s is the status "%s", %s', (isArchived, statusApp, statusSystem) => {
    expect(run({ isArchived }).record).toMatchObject({ statusApp, statusSystem })
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(run({ currency: { code: 'points' } })).toMatchObject({ record: { currency: '' }, unmapped: ['currency: points'] })
  })

  test('what the source leaves out is empty, never invented', () => {
    expect(run({}).record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: 'a',
    })
  })
})
