import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

function account(
  wire: Partial<AccountWire['account']>,
  currency: string | null = null,
): { record: Partial<AccountingAccount>; unmapped: string[] } {
  return runMapping(accountMapping, { account: { id: '7', ...wire }, currency })
}

/** `accttype`, special accounts, and what they become. An empty word is no special account. */
const TABLE: readonly (readonly [type: string, special: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['Bank', '', 'ASSET', 'BANK', ''],
  ['Bank', 'UndepFunds', 'ASSET', 'BANK', 'UNDEPOSITED_FUNDS'],
  ['Bank', 'PayrollFloat', 'ASSET', 'BANK', 'MONEY_IN_TRANSIT'],
  ['AcctRec', ' AcctRec', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['UnbilledRec', ' UnbilledRec', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['OthCurrAsset', ' CustAuth', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['OthCurrAsset', 'InvtAsset InvInTransit InvInTransitExt RtnNotCredit', 'ASSET', 'INVENTORY', ''],
  ['OthCurrAsset', 'AdvPaid', 'ASSET', 'PREPAYMENT', ''],
  ['OthCurrAsset', 'UndepFunds', 'ASSET', 'OTHER_CURRENT_ASSET', 'UNDEPOSITED_FUNDS'],
  ['OthCurrAsset', 'PayrollFloat', 'ASSET', 'OTHER_CURRENT_ASSET', 'MONEY_IN_TRANSIT'],
  ['DeferExpense', ' DeferExpense', 'ASSET', 'PREPAYMENT', ''],
  ['FixedAsset', '', 'ASSET', 'FIXED_ASSET', ''],
  ['OthAsset', '', 'ASSET', 'OTHER_ASSET', ''],
  ['AcctPay', ' AcctPay', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['CredCard', '', 'LIABILITY', 'CREDIT_CARD', ''],
  ['OthCurrLiab', ' RefundPay RecvNotBill', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['OthCurrLiab', 'SalesTaxPay PSTPay Tax TaxLiability', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  ['OthCurrLiab', 'PayrollLiab PayAdjst CommPay', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['OthCurrLiab', 'CustDep', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
  ['OthCurrLiab', 'DeferRevClearing', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'DEFERRED_REVENUE'],
  ['DeferRevenue', ' DeferRevenue DeferRevClearing', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'DEFERRED_REVENUE'],
  ['LongTermLiab', '', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['Equity', ' CumulTransAdj CTA-E', 'EQUITY', 'EQUITY', ''],
  ['Equity', 'RetEarnings', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['Equity', 'OpeningBalEquity', 'EQUITY', 'EQUITY', 'OPENING_BALANCE_EQUITY'],
  ['Income', '', 'INCOME', 'INCOME', ''],
  ['OthIncome', '', 'INCOME', 'OTHER_INCOME', ''],
  ['OthIncome', 'RealizedERV UnrERV MatchingUnrERV FxRateVariance', 'INCOME', 'OTHER_INCOME', 'FX_GAIN_LOSS'],
  ['COGS', ' COGS', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', '', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'PayrollExp PayWage', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['Expense', 'PSTExp', 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'],
  ['OthExpense', '', 'EXPENSE', 'OTHER_EXPENSE', ''],
  ['OthExpense', 'RealizedERV UnrERV', 'EXPENSE', 'OTHER_EXPENSE', 'FX_GAIN_LOSS'],
  ['OthExpense', 'RndERV', 'EXPENSE', 'OTHER_EXPENSE', 'ROUNDING'],
  ['NonPosting', ' SalesOrd PurchOrd Opprtnty UnappvPymt', 'NON_POSTING', 'OTHER', ''],
  ['Stat', '', 'NON_POSTING', 'OTHER', ''],
]
const ROWS = TABLE.flatMap(([type, words, ...rest]) => words.split(' ').map((word) => [type, word, ...rest] as const))

describe('the account mapping', () => {
  test.each(ROWS)('%s / "%s" becomes %s, %s, "%s"', (accttype, sspecacct, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ accttype, ...(sspecacct === '' ? {} : { sspecacct }) })
    expect(mapped).toMatchObject({
      record: { typeApp: accttype, subTypeApp: sspecacct, classSystem, typeSystem, subTypeSystem },
      unmapped: [],
    })
  })

  test('all twenty types of NetSuite are in the table', () => {
    expect(new Set(ROWS.map(([type]) => type)).size).toBe(20)
  })

  test('a special account under a type where it says nothing leaves the type as it is', () => {
    expect(account({ accttype: 'Income', sspecacct: 'RetEarnings' })).toMatchObject({ record: { typeSystem: 'INCOME' }, unmapped: [] })
  })

  test('an unknown type is UNKNOWN, OTHER, keeps its words and is counted', () => {
    const mapped = account({ accttype: 'DigitalAsset', sspecacct: 'Tokens' })
    expect(mapped.record).toMatchObject({ typeApp: 'DigitalAsset', subTypeApp: 'Tokens', classSystem: 'UNKNOWN', typeSystem: 'OTHER' })
    expect(mapped.unmapped).toEqual(['typeSystem: DigitalAsset', 'subTypeSystem: Tokens'])
  })

  test('an unknown special account falls back to its type and is counted', () => {
    const mapped = account({ accttype: 'DeferRevenue', sspecacct: 'MktplcRsv' })
    expect(mapped).toMatchObject({ record: { typeSystem: 'OTHER_CURRENT_LIABILITY', subTypeSystem: 'DEFERRED_REVENUE' } })
    expect(mapped.unmapped).toEqual(['subTypeSystem: MktplcRsv'])
  })

  test('a summary account is kept and posts nothing', () => {
    const mapped = account({ accttype: 'OthCurrLiab', sspecacct: 'CustDep', issummary: 'T' })
    expect(mapped).toMatchObject({ record: { classSystem: 'NON_POSTING', typeSystem: 'OTHER', subTypeSystem: '' }, unmapped: [] })
  })

  test.each([
    ['F', 'F', 'ACTIVE'],
    ['T', 'T', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('isinactive %j is the status "%s", %s', (isinactive, statusApp, statusSystem) => {
    expect(account({ isinactive }).record).toMatchObject({ statusApp, statusSystem })
  })

  test.each([
    [{ accountsearchdisplaynamecopy: 'Petty Cash', accountsearchdisplayname: '1070 Petty Cash', acctnumber: '1070' }, 'Petty Cash'],
    [{ accountsearchdisplayname: '1070 Petty Cash', acctnumber: '1070' }, 'Petty Cash'],
    [{ accountsearchdisplayname: '1070 Petty Cash' }, '1070 Petty Cash'],
    [{ fullname: 'Cash : Petty Cash', acctnumber: '1070' }, 'Cash : Petty Cash'],
  ])('the name of %j is "%s"', (wire, name) => {
    expect(account(wire).record.name).toBe(name)
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    const { record, unmapped } = account({ acctnumber: null, accttype: null, sspecacct: null, description: null })
    expect(unmapped).toEqual([])
    expect(record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: '7',
    })
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({}, 'Points')).toMatchObject({ record: { currency: '' }, unmapped: ['currency: Points'] })
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    line: {
      transaction: '146',
      transactionline: '1',
      account: '255',
      debit: '10.5',
      trandate: '2026-05-31',
      tranid: 'INV-2026-05',
      type: 'CustInvc',
      entityname: 'Blue Ridge Mountain Sports',
      memo: 'Wholesale order',
      subsidiary: '1',
    },
    currency: 'USD',
  }

  test('an accounting line becomes a posting with everything its transaction says', () => {
    expect(runMapping(transactionMapping, posting)).toEqual({
      record: {
        origId: '146:1',
        entryId: '146',
        accountOrigId: '255',
        postedOn: '2026-05-31',
        document: 'INV-2026-05',
        description: 'Wholesale order',
        counterparty: 'Blue Ridge Mountain Sports',
        debit: '10.5',
        credit: null,
        currency: 'USD',
        sourceType: 'CustInvc',
      },
      unmapped: [],
    })
  })

  test('what a line says of itself goes before what its transaction says', () => {
    expect(runMapping(transactionMapping, { ...posting, line: { ...posting.line, linememo: 'Tents' } }).record.description).toBe('Tents')
  })

  test('a negative debit is a credit', () => {
    const { record } = runMapping(transactionMapping, { ...posting, line: { ...posting.line, debit: '-12345678901234567.89' } })
    expect(record).toMatchObject({ debit: null, credit: '12345678901234567.89' })
  })
})
