import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

function account(wire: Partial<AccountWire>) {
  return runMapping(accountMapping, { id: 'a7', ...wire })
}

/** The thirteen types, the control names that change them, and what they become. */
const TABLE: readonly (readonly [type: string, controls: string, is: AccountClass, becomes: AccountType, finer: string])[] = [
  ['SALES', '', 'INCOME', 'INCOME', ''],
  ['OTHER_INCOME', '', 'INCOME', 'OTHER_INCOME', ''],
  ['OTHER_INCOME', 'EXCHANGE_GAINS', 'INCOME', 'OTHER_INCOME', 'FX_GAIN_LOSS'],
  ['DIRECT_EXPENSES', '', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['OVERHEADS', '', 'EXPENSE', 'EXPENSE', ''],
  ['OVERHEADS', 'EXCHANGE_LOSSES', 'EXPENSE', 'EXPENSE', 'FX_GAIN_LOSS'],
  ['OVERHEADS', 'BAD_DEBTS', 'EXPENSE', 'EXPENSE', 'BAD_DEBT'],
  ['OVERHEADS', 'BANK_CHARGES', 'EXPENSE', 'EXPENSE', 'BANK_FEES'],
  ['DEPRECIATION', '', 'EXPENSE', 'DEPRECIATION', ''],
  ['CURRENT_ASSETS', '', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['CURRENT_ASSETS', 'TRADE_DEBTORS,trade debtors,Accounts Receivable', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['CURRENT_ASSETS', 'STOCK,INVENTORY', 'ASSET', 'INVENTORY', ''],
  ['CURRENT_ASSETS', 'PREPAYMENTS', 'ASSET', 'PREPAYMENT', ''],
  ['CURRENT_ASSETS', 'VAT_ON_PURCHASES,GST_ON_PURCHASES,QST,HST,PST', 'ASSET', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
  ['CURRENT_ASSETS', 'SUSPENSE', 'ASSET', 'OTHER_CURRENT_ASSET', 'SUSPENSE'],
  ['FIXED_ASSETS', '', 'ASSET', 'FIXED_ASSET', ''],
  ['FUTURE_ASSETS', '', 'ASSET', 'OTHER_ASSET', ''],
  ['BANK', '', 'ASSET', 'BANK', ''],
  ['BANK', 'CASH,PETTY_CASH', 'ASSET', 'BANK', 'CASH'],
  ['BANK', 'CURRENT_ACCOUNT,CHEQUING', 'ASSET', 'BANK', 'CHECKING'],
  ['BANK', 'SAVINGS', 'ASSET', 'BANK', 'SAVINGS'],
  ['LINE_OF_CREDIT', '', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LINE_OF_CREDIT'],
  ['LINE_OF_CREDIT', 'CREDIT_CARD', 'LIABILITY', 'CREDIT_CARD', ''],
  ['CURRENT_LIABILITY', '', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['CURRENT_LIABILITY', 'TRADE_CREDITORS,trade creditors,Accounts Payable', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['CURRENT_LIABILITY', 'VAT_ON_SALES,VAT Liability,GST_ON_SALES,QST_PAYABLE', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  ['CURRENT_LIABILITY', 'INCOME_TAX,CORPORATION_TAX', 'LIABILITY', 'TAX_LIABILITY', 'INCOME_TAX'],
  ['CURRENT_LIABILITY', 'WAGES_CONTROL,PAYROLL,PAYE,NIC', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['CURRENT_LIABILITY', 'SUSPENSE', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'SUSPENSE'],
  ['FUTURE_LIABILITY', '', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['EQUITY', '', 'EQUITY', 'EQUITY', ''],
  ['EQUITY', 'RETAINED_EARNINGS,PROFIT_AND_LOSS', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['EQUITY', 'OPENING_BALANCES', 'EQUITY', 'EQUITY', 'OPENING_BALANCE_EQUITY'],
  ['EQUITY', 'DIVIDENDS', 'EQUITY', 'EQUITY', 'DIVIDENDS'],
  ['EQUITY', 'SHARE_CAPITAL', 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'],
]
const ROWS = TABLE.flatMap(([type, controls, ...rest]) => controls.split(',').map((control) => [type, control, ...rest] as const))

describe('the account mapping', () => {
  test.each(ROWS)('%s / "%s" becomes %s, %s, "%s"', (type, control, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ ledger_account_type: { id: type }, control_name: control === '' ? null : control })
    expect(mapped).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem, typeApp: type, subTypeApp: control }, unmapped: [] })
  })

  test.each([
    ['ASSET', 'ASSET', 'OTHER_ASSET'],
    ['ASSETS', 'ASSET', 'OTHER_ASSET'],
    ['LIABILITY', 'LIABILITY', 'OTHER_LIABILITY'],
    ['LIABILITIES', 'LIABILITY', 'OTHER_LIABILITY'],
    ['EQUITY', 'EQUITY', 'EQUITY'],
    ['CAPITAL', 'EQUITY', 'EQUITY'],
    ['INCOME', 'INCOME', 'INCOME'],
    ['EXPENSE', 'EXPENSE', 'EXPENSE'],
    ['EXPENSES', 'EXPENSE', 'EXPENSE'],
  ])('an unknown type of group %s falls back to %s, %s, keeps its word and is counted', (group, classSystem, typeSystem) => {
    const mapped = account({ ledger_account_group: { id: group }, ledger_account_type: { id: 'TOKENS' } })
    expect(mapped).toMatchObject({
      record: { classApp: group, typeApp: 'TOKENS', classSystem, typeSystem },
      unmapped: ['typeSystem: TOKENS'],
    })
  })

  test('an unknown group is counted even though the type is known', () => {
    const mapped = account({ ledger_account_group: { id: 'INTANGIBLE' }, ledger_account_type: { id: 'BANK' } })
    expect(mapped).toMatchObject({ record: { classApp: 'INTANGIBLE', classSystem: 'ASSET' }, unmapped: ['classSystem: INTANGIBLE'] })
  })

  test('where group and type disagree the type wins and the source keeps its word', () => {
    const { record } = account({ ledger_account_group: { id: 'LIABILITY' }, ledger_account_type: { id: 'BANK' } })
    expect(record).toMatchObject({ classApp: 'LIABILITY', classSystem: 'ASSET', typeSystem: 'BANK' })
  })

  test('a control name that says nothing to us is kept and counted', () => {
    const mapped = account({ ledger_account_type: { id: 'CURRENT_LIABILITY' }, control_name: 'LOYALTY_POINTS' })
    expect(mapped).toMatchObject({
      record: { subTypeApp: 'LOYALTY_POINTS', subTypeSystem: '' },
      unmapped: ['subTypeSystem: LOYALTY_POINTS'],
    })
  })

  test('a word counts whole: a private account is no VAT account', () => {
    const { record } = account({ ledger_account_type: { id: 'CURRENT_LIABILITY' }, control_name: 'PRIVATE_HOUSTON' })
    expect(record.typeSystem).toBe('OTHER_CURRENT_LIABILITY')
  })

  test('where there is no control name the classification refines, and is not counted when it is new', () => {
    const stock = { ledger_account_type: { id: 'CURRENT_ASSETS' }, ledger_account_classification: { id: 'STOCK_ON_HAND' } }
    const other = { ledger_account_type: { id: 'CURRENT_ASSETS' }, ledger_account_classification: { id: 'CA_1234' } }
    expect(account(stock)).toMatchObject({ record: { subTypeApp: 'STOCK_ON_HAND', typeSystem: 'INVENTORY' }, unmapped: [] })
    expect(account(other)).toMatchObject({ record: { subTypeApp: 'CA_1234', typeSystem: 'OTHER_CURRENT_ASSET' }, unmapped: [] })
  })

  test.each([
    [{ included_in_chart: true }, 'included_in_chart=true', 'ACTIVE'],
    [{ included_in_chart: false, visible_in_journals: true }, 'included_in_chart=false', 'ACTIVE'],
    [{ included_in_chart: false, visible_in_journals: false }, 'included_in_chart=false', 'ARCHIVED'],
    [{ included_in_chart: null, visible_in_sales: true }, '', 'ACTIVE'],
    [{}, '', 'UNKNOWN'],
  ])('%j is the status "%s", %s', (wire, statusApp, statusSystem) => {
    expect(account(wire).record).toMatchObject({ statusApp, statusSystem })
  })

  test.each([
    [{ name: 'Banque', display_name: 'B', displayed_as: 'Banque (1200)' }, 'Banque'],
    [{ name: null, display_name: 'B', displayed_as: 'Banque (1200)' }, 'B'],
    [{ displayed_as: 'Banque (1200)' }, 'Banque (1200)'],
  ])('%j is called "%s"', (wire, name) => {
    expect(account(wire).record.name).toBe(name)
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({ base_currency: { id: 'Points' } })).toMatchObject({ record: { currency: '' }, unmapped: ['currency: Points'] })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    expect(account({ name: null, nominal_code: null, ledger_account_type: null, base_currency: null })).toEqual({
      unmapped: [],
      record: {
        ...EMPTY_ACCOUNT,
        origId: 'a7',
      },
    })
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    journal: { id: 'j1', date: '2026-02-28', reference: 'OD-12', description: 'Fin de mois', transaction_type: { id: 'JOURNAL' } },
    line: { id: 'l1', ledger_account: { id: 'a41' }, details: '', debit: 10.5, credit: 0 },
    position: 1,
    base_currency: { id: 'CAD' },
  }

  test('a line of a journal becomes a posting with everything its journal says', () => {
    expect(runMapping(transactionMapping, posting).record).toEqual({
      origId: 'j1:l1',
      entryId: 'j1',
      accountOrigId: 'a41',
      postedOn: '2026-02-28',
      document: 'OD-12',
      description: 'Fin de mois',
      counterparty: '',
      debit: '10.5',
      credit: null,
      currency: 'CAD',
      sourceType: 'JOURNAL',
    })
  })

  test.each([
    ['a credit', { debit: 0, credit: 7 }, null, '7'],
    ['a credit alone', { debit: null, credit: '7.10' }, null, '7.1'],
    ['a negative debit', { debit: '-12345678901234567.89', credit: null }, null, '12345678901234567.89'],
    ['both sides at once', { debit: 10, credit: 4 }, '6', null],
  ])('%s stands on the right side, exactly', (_what, amounts, debit, credit) => {
    expect(runMapping(transactionMapping, { ...posting, line: { ...posting.line, ...amounts } }).record).toMatchObject({ debit, credit })
  })

  test('a line without an id is known by its place', () => {
    expect(runMapping(transactionMapping, { ...posting, line: { ...posting.line, id: null }, position: 3 }).record.origId).toBe('j1:#3')
  })
})
