import { describe, expect, test } from 'vitest'
import { runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

interface Given {
  code?: string | null
  group?: string
  companyType?: string
  currency?: string | null
  bank?: { type?: string; currency?: string; status?: string }
}

function account({ code = '001', group = 'general_categories', companyType = 'UkLimitedCompany', currency = 'GBP', bank }: Given) {
  const wire: AccountWire = {
    category: { url: `https://api.freeagent.com/v2/categories/${code}`, description: 'An account', nominal_code: code },
    group,
    bankAccount: bank ? { url: 'b', ...bank } : null,
    company: { type: companyType, currency },
  }
  return runMapping(accountMapping, wire)
}

const ROWS = [
  ['001 020 049', 'INCOME', 'INCOME', ''],
  ['051', 'INCOME', 'OTHER_INCOME', 'INTEREST_INCOME'],
  ['096 101 199', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['200 285 399', 'EXPENSE', 'EXPENSE', ''],
  ['055 058', 'INCOME', 'OTHER_INCOME', ''],
  ['401 409', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['450', 'EXPENSE', 'EXPENSE', 'BAD_DEBT'],
  ['460', 'EXPENSE', 'DEPRECIATION', ''],
  ['461', 'EXPENSE', 'OTHER_EXPENSE', ''],
  ['502 503', 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'],
  ['599', 'UNKNOWN', 'OTHER', 'SUSPENSE'],
  ['601-1 602 604-2', 'ASSET', 'FIXED_ASSET', ''],
  ['605 605-1 606 607', 'ASSET', 'FIXED_ASSET', 'ACCUMULATED_DEPRECIATION'],
  ['609 609-3 610', 'ASSET', 'INVENTORY', ''],
  ['620', 'ASSET', 'PREPAYMENT', ''],
  ['630 633', 'ASSET', 'OTHER_ASSET', 'INVESTMENT'],
  ['650', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['660', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['670', 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'],
  ['671 682 720', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['681', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['731 749 751 780', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['750 750-65345', 'ASSET', 'BANK', ''],
  ['760 761', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['792 793-1 799', 'LIABILITY', 'LONG_TERM_LIABILITY', 'LEASE'],
  ['794 797', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['795', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['796', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['798', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'LEASE'],
  ['813 814 815', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['817 818 819 823 824', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  ['820 825', 'LIABILITY', 'TAX_LIABILITY', 'INCOME_TAX'],
  ['900 902 907-1', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'SHAREHOLDER_LOAN'],
  ['901', 'EQUITY', 'EQUITY', 'SHARE_CAPITAL'],
  ['908-1', 'EQUITY', 'EQUITY', 'DIVIDENDS'],
  ['910', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['921 960', 'EQUITY', 'EQUITY', ''],
  ['968', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['999', 'UNKNOWN', 'OTHER', 'SUSPENSE'],
] as const
const CODES = ROWS.flatMap(([codes, ...rest]) => codes.split(' ').map((code) => [code, ...rest] as const))

describe('the account mapping', () => {
  test.each(CODES)('nominal code %s becomes %s, %s, "%s"', (code, classSystem, typeSystem, subTypeSystem) => {
    expect(account({ code })).toMatchObject({ record: { number: code, classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test.each([
    ['640', 'general_categories', 'ASSET', 'OTHER_ASSET'],
    ['655', 'general_categories', 'UNKNOWN', 'OTHER'],
    ['816', 'general_categories', 'LIABILITY', 'OTHER_LIABILITY'],
    ['790', 'general_categories', 'UNKNOWN', 'OTHER'],
    ['961', 'general_categories', 'EQUITY', 'EQUITY'],
    ['060', 'income_categories', 'INCOME', 'INCOME'],
    ['430', 'admin_expenses_categories', 'EXPENSE', 'EXPENSE'],
    ['X-42', 'cost_of_sales_categories', 'EXPENSE', 'COST_OF_GOODS_SOLD'],
    ['430', 'general_categories', 'EXPENSE', 'EXPENSE'],
    ['970', 'general_categories', 'UNKNOWN', 'OTHER'],
  ])('code %s in %s, which no table knows, is the least that is certain and is counted', (code, group, classSystem, typeSystem) => {
    const mapped = account({ code, group })
    expect(mapped).toMatchObject({ record: { classApp: group, classSystem, typeSystem }, unmapped: [`typeSystem: ${code}`] })
  })

  test.each(['UkSoleTrader', 'UsSoleProprietor', 'UkPartnership', 'UsPartnership'])(
    'the owners’ accounts of a %s are equity',
    (companyType) => {
      expect(account({ code: '907-1', companyType }).record).toMatchObject({ classSystem: 'EQUITY', subTypeSystem: 'OWNERS_EQUITY' })
    },
  )

  test.each(['UkLimitedCompany', 'UsLimitedLiabilityCompany', 'UniversalCompany', ''])(
    'the owners’ accounts of a "%s" are its debts',
    (companyType) => {
      expect(account({ code: '907-1', companyType }).record).toMatchObject({ classSystem: 'LIABILITY', subTypeSystem: 'SHAREHOLDER_LOAN' })
    },
  )

  test.each([
    ['StandardBankAccount', 'ASSET', 'BANK', ''],
    ['EcommerceAccount', 'ASSET', 'BANK', ''],
    ['PaypalAccount', 'ASSET', 'BANK', 'PAYPAL'],
    ['CreditCardAccount', 'LIABILITY', 'CREDIT_CARD', ''],
  ])('the sub-account of a %s becomes %s, %s, "%s"', (type, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ code: '750-1', bank: { type } })
    expect(mapped).toMatchObject({ record: { subTypeApp: type, classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test('a type of bank account that nobody knows is a bank, keeps its word and is counted', () => {
    const mapped = account({ code: '750-1', bank: { type: 'CryptoWallet' } })
    expect(mapped).toMatchObject({ record: { subTypeApp: 'CryptoWallet', typeSystem: 'BANK' }, unmapped: ['subTypeSystem: CryptoWallet'] })
  })

  test.each([
    [undefined, '', 'ACTIVE', []],
    ['active', 'active', 'ACTIVE', []],
    ['hidden', 'hidden', 'ARCHIVED', []],
    ['frozen', 'frozen', 'UNKNOWN', ['statusSystem: frozen']],
  ])('the bank account’s status %s is "%s", %s', (status, statusApp, statusSystem, unmapped) => {
    const bank = { type: 'StandardBankAccount', ...(status === undefined ? {} : { status }) }
    expect(account({ code: '750-1', bank })).toMatchObject({ record: { statusApp, statusSystem }, unmapped })
  })

  test('the currency is that of the bank account, else of the company', () => {
    const bank = { type: 'StandardBankAccount', currency: 'EUR' }
    expect([account({ bank }).record.currency, account({}).record.currency, account({ currency: null }).record.currency]).toEqual([
      'EUR',
      'GBP',
      '',
    ])
  })

  test('a currency that is no code is left empty and counted', () => {
    expect(account({ currency: 'Points' })).toMatchObject({ record: { currency: '' }, unmapped: ['currency: Points'] })
  })
})

describe('the transaction mapping', () => {
  const posting: PostingWire = {
    transaction: {
      url: 'https://api.freeagent.com/v2/accounting/transactions/90',
      dated_on: '2026-02-28',
      description: 'Invoice 12',
      category: 'https://api.freeagent.com/v2/categories/750-65345',
      debit_value: '10.5',
      source_item_url: 'https://api.freeagent.com/v2/invoices/12',
    },
    entryId: 'invoices/12@2026-02-28',
    company: { type: 'UkLimitedCompany', currency: 'GBP' },
  }

  test('a transaction becomes a posting with everything it says', () => {
    expect(runMapping(transactionMapping, posting).record).toEqual({
      origId: '90',
      entryId: 'invoices/12@2026-02-28',
      accountOrigId: '750-65345',
      postedOn: '2026-02-28',
      document: 'invoices/12',
      description: 'Invoice 12',
      counterparty: '',
      debit: '10.5',
      credit: null,
      currency: 'GBP',
      sourceType: 'invoices',
    })
  })

  test('a negative debit is a credit, exactly', () => {
    const transaction = { ...posting.transaction, debit_value: '-12345678901234567.89', source_item_url: null }
    expect(runMapping(transactionMapping, { ...posting, transaction }).record).toMatchObject({
      debit: null,
      credit: '12345678901234567.89',
      document: '',
      sourceType: '',
    })
  })
})
