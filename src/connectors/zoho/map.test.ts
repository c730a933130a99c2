import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { findTypeRule } from './type-table.ts'
import type { AccountWire, PostingWire } from './wire.ts'

const DOCUMENT = new URL('../../../../shared/specs/accounting/zoho-books/chart-of-accounts.yml', import.meta.url)

function account(wire: Partial<AccountWire>) {
  return runMapping(accountMapping, { account_id: '7', ...wire })
}

/** Table of the reference: account_type and the expected mapping. */
const TABLE: readonly (readonly [type: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['cash', 'ASSET', 'BANK', 'CASH'],
  ['bank', 'ASSET', 'BANK', ''],
  ['accounts_receivable', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['stock', 'ASSET', 'INVENTORY', ''],
  ['other_current_asset', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['contract_asset', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['fixed_asset', 'ASSET', 'FIXED_ASSET', ''],
  ['right_to_use_asset', 'ASSET', 'FIXED_ASSET', ''],
  ['other_asset', 'ASSET', 'OTHER_ASSET', ''],
  ['intangible_asset', 'ASSET', 'OTHER_ASSET', 'INTANGIBLE'],
  ['financial_asset', 'ASSET', 'OTHER_ASSET', ''],
  ['contingent_asset', 'ASSET', 'OTHER_ASSET', ''],
  ['accounts_payable', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['credit_card', 'LIABILITY', 'CREDIT_CARD', ''],
  ['other_current_liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['contract_liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['refund_liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['employee_benefit_liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['long_term_liability', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['loans_and_borrowing', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LOAN'],
  ['lease_liability', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LEASE'],
  ['other_liability', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['financial_liability', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['contingent_liability', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['equity', 'EQUITY', 'EQUITY', ''],
  ['other_comprehensive_income', 'EQUITY', 'EQUITY', ''],
  ['income', 'INCOME', 'INCOME', ''],
  ['finance_income', 'INCOME', 'OTHER_INCOME', ''],
  ['other_income', 'INCOME', 'OTHER_INCOME', ''],
  ['cost_of_goods_sold', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['manufacturing_expense', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['expense', 'EXPENSE', 'EXPENSE', ''],
  ['employee_benefit_expense', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['lease_expense', 'EXPENSE', 'EXPENSE', ''],
  ['depreciation_expense', 'EXPENSE', 'DEPRECIATION', ''],
  ['impairment_expense', 'EXPENSE', 'DEPRECIATION', ''],
  ['finance_expense', 'EXPENSE', 'OTHER_EXPENSE', ''],
  ['tax_expense', 'EXPENSE', 'OTHER_EXPENSE', 'TAX_EXPENSE'],
  ['other_expense', 'EXPENSE', 'OTHER_EXPENSE', ''],
]

describe('the account mapping', () => {
  test.each(TABLE)('%s becomes %s, %s, "%s"', (account_type, classSystem, typeSystem, subTypeSystem) => {
    expect(account({ account_type })).toMatchObject({
      record: { classApp: '', classSystem, typeApp: account_type, typeSystem, subTypeSystem },
      unmapped: [],
    })
  })

  test.each([
    ['crypto_asset', 'ASSET', 'OTHER_ASSET'],
    ['provision_liability', 'LIABILITY', 'OTHER_LIABILITY'],
    ['members_equity', 'EQUITY', 'EQUITY'],
    ['grant_income', 'INCOME', 'INCOME'],
    ['travel_expense', 'EXPENSE', 'EXPENSE'],
    ['tokens', 'UNKNOWN', 'OTHER'],
    ['constructor', 'UNKNOWN', 'OTHER'],
  ])('the unknown type "%s" falls back to %s, %s, keeps its word and is counted', (account_type, classSystem, typeSystem) => {
    const mapped = account({ account_type })
    expect(mapped.record).toMatchObject({ typeApp: account_type, classSystem, typeSystem, subTypeSystem: '' })
    expect(mapped.unmapped).toEqual([`typeSystem: ${account_type}`])
  })

  test.each([
    [true, 'true', 'ACTIVE'],
    [false, 'false', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('is_active %s is the status "%s", %s', (is_active, statusApp, statusSystem) => {
    expect(account({ is_active }).record).toMatchObject({ statusApp, statusSystem })
  })

  test.each([
    ['MXN', 'MXN', []],
    ['', '', []],
    ['Points', '', ['currency: Points']],
  ])('currency "%s" is "%s"', (currency_code, currency, unmapped) => {
    expect(account({ currency_code })).toMatchObject({ record: { currency }, unmapped })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    const absent = { account_name: null, account_code: null, account_type: null, description: null, is_active: null }
    expect(account(absent)).toEqual({
      record: {
        ...EMPTY_ACCOUNT,
        origId: '7',
      },
      unmapped: [],
    })
  })

  test.skipIf(!existsSync(DOCUMENT))(`every word of Zoho's own document is known (skipped without ../shared/specs)`, () => {
    const text = /Type of the account\. Allowed Values: (.*)\n/.exec(readFileSync(DOCUMENT, 'utf8'))?.[1] ?? ''
    const words = [...text.matchAll(/<code>(\w+)<\/code>/g)].map((match) => match[1] ?? '')
    expect(words.length).toBeGreaterThan(37)
    expect(words.filter((word) => findTypeRule(word) === null)).toEqual([])
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    journal: {
      journal_id: '12',
      journal_date: '2026-02-28',
      entry_number: '42',
      reference_number: 'REF',
      notes: 'Month end',
      currency_code: 'USD',
    },
    line: { line_id: '3', account_id: '41', customer_name: 'Galería Nopal', description: '', debit_or_credit: 'debit', amount: 10.5 },
  }

  test('a line of a journal becomes a posting with everything its journal says', () => {
    expect(runMapping(transactionMapping, posting).record).toEqual({
      origId: '12:3',
      entryId: '12',
      accountOrigId: '41',
      postedOn: '2026-02-28',
      document: '42',
      description: 'Month end',
      counterparty: 'Galería Nopal',
      debit: '10.5',
      credit: null,
      currency: 'USD',
      sourceType: 'journal',
    })
  })

  test('a negative debit is a credit, to the last digit', () => {
    const { record } = runMapping(transactionMapping, { ...posting, line: { ...posting.line, amount: '-12345678901234567.89' } })
    expect(record).toMatchObject({ debit: null, credit: '12345678901234567.89' })
  })
})
