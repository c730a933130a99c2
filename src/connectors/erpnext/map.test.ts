import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { ACCOUNT_TYPES, type AccountClass, type AccountType } from '../../model/records/accounting.ts'
import type { SourceItem } from '../contract/contract.ts'
import { runMapping } from '../toolkit/test-mapping.ts'
import { pullAccounts } from './accounts.ts'
import { toAccount, toTransaction } from './map.ts'
import { pullEntries } from './transactions.ts'
import { AccountWire, LedgerWire } from './wire.ts'

/** Mapping table of the reference: root_type, account_type and the expected mapping. */
const TABLE: readonly (readonly [root: string, word: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['Asset', 'Bank', 'ASSET', 'BANK', ''],
  ['Asset', 'Cash', 'ASSET', 'BANK', 'CASH'],
  ['Asset', 'Receivable', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['Asset', 'Stock', 'ASSET', 'INVENTORY', ''],
  ['Asset', 'Fixed Asset', 'ASSET', 'FIXED_ASSET', ''],
  ['Asset', 'Capital Work in Progress', 'ASSET', 'FIXED_ASSET', ''],
  ['Asset', 'Accumulated Depreciation', 'ASSET', 'FIXED_ASSET', 'ACCUMULATED_DEPRECIATION'],
  ['Asset', 'Current Asset', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Asset', 'Temporary', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Asset', 'Tax', 'ASSET', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
  ['Asset', 'Payable', 'ASSET', 'PREPAYMENT', ''],
  ['Asset', 'Stock Received But Not Billed', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Asset', 'Asset Received But Not Billed', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Asset', 'Service Received But Not Billed', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['Asset', '', 'ASSET', 'OTHER_ASSET', ''],
  ['Liability', 'Payable', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['Liability', 'Tax', 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
  ['Liability', 'Current Liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Stock Received But Not Billed', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Asset Received But Not Billed', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Service Received But Not Billed', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Liability', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['Liability', 'Bank', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Cash', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Temporary', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['Liability', 'Receivable', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'CUSTOMER_DEPOSIT'],
  ['Liability', '', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['Equity', 'Equity', 'EQUITY', 'EQUITY', ''],
  ['Equity', 'Round Off for Opening', 'EQUITY', 'EQUITY', 'ROUNDING'],
  ['Equity', '', 'EQUITY', 'EQUITY', ''],
  ['Income', 'Income Account', 'INCOME', 'INCOME', ''],
  ['Income', 'Direct Income', 'INCOME', 'INCOME', ''],
  ['Income', 'Indirect Income', 'INCOME', 'OTHER_INCOME', ''],
  ['Income', 'Round Off', 'INCOME', 'OTHER_INCOME', 'ROUNDING'],
  ['Income', 'Chargeable', 'INCOME', 'INCOME', ''],
  ['Income', '', 'INCOME', 'INCOME', ''],
  ['Expense', 'Cost of Goods Sold', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Direct Expense', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Stock Adjustment', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Expenses Included In Valuation', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Expenses Included In Asset Valuation', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['Expense', 'Depreciation', 'EXPENSE', 'DEPRECIATION', ''],
  ['Expense', 'Expense Account', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'Indirect Expense', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'Chargeable', 'EXPENSE', 'EXPENSE', ''],
  ['Expense', 'Round Off', 'EXPENSE', 'EXPENSE', 'ROUNDING'],
  ['Expense', 'Tax', 'EXPENSE', 'EXPENSE', 'TAX_EXPENSE'],
  ['Expense', '', 'EXPENSE', 'EXPENSE', ''],
  // Known value without a meaning in its class: the root decides, nothing is counted.
  ['Equity', 'Bank', 'EQUITY', 'EQUITY', ''],
  ['Expense', 'Receivable', 'EXPENSE', 'EXPENSE', ''],
]

describe('the type of an account', () => {
  it.each(TABLE)(
    'below %s with the type "%s" is what the table says',
    (root_type, account_type, classSystem, typeSystem, subTypeSystem) => {
      const outcome = account({ root_type, account_type, is_group: 0 })
      expect(outcome).toMatchObject({
        record: { classApp: root_type, typeApp: account_type, classSystem, typeSystem, subTypeSystem },
        unmapped: [],
      })
    },
  )

  it('reaches every type of the taxonomy that ERPNext can tell', () => {
    const untold: AccountType[] = ['CREDIT_CARD', 'LONG_TERM_LIABILITY', 'RETAINED_EARNINGS', 'OTHER_EXPENSE', 'OTHER']
    expect(new Set([...TABLE.map(([, , , type]) => type), ...untold])).toEqual(new Set(ACCOUNT_TYPES))
  })

  it.each(['Asset', 'Liability', 'Equity', 'Income', 'Expense', 'Intangible', null])('of a group below %s is NON_POSTING', (root_type) => {
    const outcome = account({ root_type, account_type: 'Crypto', is_group: 1 })
    expect(outcome).toMatchObject({ record: { classSystem: 'NON_POSTING', typeSystem: 'OTHER', subTypeSystem: '' }, unmapped: [] })
  })

  it.each([
    ['Asset', 'Crypto Wallet', 'ASSET', 'OTHER_ASSET', ['typeSystem: Crypto Wallet']],
    ['Liability', 'Crypto Debt', 'LIABILITY', 'OTHER_LIABILITY', ['typeSystem: Crypto Debt']],
    ['Intangible', 'Bank', 'ASSET', 'BANK', ['classSystem: Intangible']],
    [null, 'Depreciation', 'EXPENSE', 'DEPRECIATION', ['classSystem: ']],
    ['', '', 'UNKNOWN', 'OTHER', ['classSystem: ']],
    ['constructor', 'toString', 'UNKNOWN', 'OTHER', ['classSystem: constructor', 'typeSystem: toString']],
  ])('below %s with the word %s survives and is counted', (root_type, account_type, classSystem, typeSystem, unmapped) => {
    expect(account({ root_type, account_type })).toMatchObject({ record: { classSystem, typeSystem }, unmapped })
  })
})

describe('an account', () => {
  it('keeps number, name and words', () => {
    const fields = { account_number: '0110', account_currency: 'EUR', root_type: 'Asset', account_type: 'Cash', is_group: 0, disabled: 0 }
    expect(account(fields).record).toEqual({
      origId: '0110 - Caisse - AB',
      number: '0110',
      name: 'Caisse',
      currency: 'EUR',
      description: '',
      classApp: 'Asset',
      classSystem: 'ASSET',
      typeApp: 'Cash',
      typeSystem: 'BANK',
      subTypeApp: '',
      subTypeSystem: 'CASH',
      statusApp: 'enabled',
      statusSystem: 'ACTIVE',
    })
  })

  it.each([
    [0, 'enabled', 'ACTIVE'],
    [1, 'disabled', 'ARCHIVED'],
    [null, '', 'UNKNOWN'],
  ])('with disabled %j has its status', (disabled, statusApp, statusSystem) => {
    expect(account({ disabled }).record).toMatchObject({ statusApp, statusSystem })
  })

  it.each([
    ['USD', 'USD', []],
    [null, '', []],
    ['', '', []],
    ['Points', '', ['currency: Points']],
  ])('with currency %j names it by its ISO code or not at all', (account_currency, currency, unmapped) => {
    const outcome = account({ account_currency, root_type: 'Asset' })
    expect([outcome.record.currency, outcome.unmapped]).toEqual([currency, unmapped])
  })
})

describe('ledger lines as ERPNext gives them', () => {
  const items = [...pullEntries.read({ company: fixture('company'), lines0: fixture('lines') })]
  const read = items.filter((item) => 'wire' in item)

  it('fit the wire schema', () => {
    for (const { wire } of read) expect(Value.Errors(LedgerWire, wire)).toEqual([])
  })

  it('become records with one positive side, to the last digit', () => {
    const lines = read.map(({ wire }) => runMapping(toTransaction, wire).record)
    expect(lines.map(({ origId, entryId, debit, credit }) => [origId, entryId, debit, credit])).toEqual([
      ['GLE-11', 'Sales Invoice/SINV-1', '114.98', null],
      ['GLE-12', 'Sales Invoice/SINV-1', null, '14.98'],
      ['GLE-13', 'Sales Invoice/SINV-1', null, '100'],
      ['GLE-21', 'Journal Entry/SINV-1', '12345678901234567.89', null],
      ['GLE-22', 'Journal Entry/SINV-1', null, '12345678901234567.89'],
      ['GLE-31', 'Journal Entry/JV-3', null, '40.5'],
      ['GLE-32', 'Journal Entry/JV-3', '30.25', null],
      ['GLE-33', 'Journal Entry/JV-3', '10.25', null],
    ])
  })

  it('name day, document, text, counterparty, currency and kind', () => {
    const [first] = read
    expect(first && runMapping(toTransaction, first.wire).record).toMatchObject({
      accountOrigId: '1121 - Débiteurs - AB',
      postedOn: '2026-05-31',
      document: 'SINV-1',
      description: 'Commande 12',
      counterparty: 'Café Ébène inc.',
      currency: 'CAD',
      sourceType: 'Sales Invoice',
    })
  })

  it('are set aside with their reason, never dropped', () => {
    const reasons = items.filter((item) => 'unreadable' in item).map(({ origId, unreadable }) => [origId, unreadable])
    expect(reasons).toEqual([
      [null, 'a line without a name'],
      ['GLE-41', 'its voucher does not balance'],
      ['GLE-61', 'its voucher has no possible day'],
      ['GLE-62', 'its voucher has no possible day'],
      ['GLE-71', 'an amount of its voucher is no exact decimal'],
      ['GLE-72', 'an amount of its voucher is no exact decimal'],
    ])
  })

  it('that come twice, as those of a voucher on two pages may, count once', () => {
    const twice = [...pullEntries.read({ company: fixture('company'), lines0: fixture('lines'), lines1: fixture('lines') })]
    expect(twice.filter((item) => 'wire' in item)).toEqual(read)
  })
})

function account(fields: Record<string, unknown>) {
  const row = { name: '0110 - Caisse - AB', account_name: 'Caisse', ...fields }
  const [item] = [...pullAccounts.read({ accounts: new TextEncoder().encode(JSON.stringify({ data: [row] })) })]
  const wire = wireOf(item)
  expect(Value.Errors(AccountWire, wire)).toEqual([])
  return runMapping(toAccount, wire)
}

function wireOf(item: SourceItem | undefined): unknown {
  if (!item || !('wire' in item)) throw new Error('no record')
  return item.wire
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
}
