import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { ACCOUNT_TYPES, type AccountClass, type AccountType } from '../../model/records/accounting.ts'
import type { SourceItem } from '../contract/contract.ts'
import { runMapping } from '../toolkit/test-mapping.ts'
import { pullAccounts } from './accounts.ts'
import { toAccount, toTransaction } from './map.ts'
import { pullEntries } from './transactions.ts'
import { AccountWire, LineWire } from './wire.ts'

const COMPANY = [{ id: 1, name: 'Épicerie', create_date: '2026-01-02 03:04:05', currency_id: [4, 'CAD'] }]

/** Mapping table of the reference: the word of 16 to 19, the name before, and what they become. */
const TABLE: readonly (readonly [word: string, name: string, is: AccountClass, becomes: AccountType])[] = [
  ['asset_receivable', 'Receivable', 'ASSET', 'ACCOUNTS_RECEIVABLE'],
  ['asset_cash', 'Bank and Cash', 'ASSET', 'BANK'],
  ['asset_current', 'Current Assets', 'ASSET', 'OTHER_CURRENT_ASSET'],
  ['asset_non_current', 'Non-current Assets', 'ASSET', 'OTHER_ASSET'],
  ['asset_prepayments', 'Prepayments', 'ASSET', 'PREPAYMENT'],
  ['asset_fixed', 'Fixed Assets', 'ASSET', 'FIXED_ASSET'],
  ['liability_payable', 'Payable', 'LIABILITY', 'ACCOUNTS_PAYABLE'],
  ['liability_credit_card', 'Credit Card', 'LIABILITY', 'CREDIT_CARD'],
  ['liability_current', 'Current Liabilities', 'LIABILITY', 'OTHER_CURRENT_LIABILITY'],
  ['liability_non_current', 'Non-current Liabilities', 'LIABILITY', 'LONG_TERM_LIABILITY'],
  ['equity', 'Equity', 'EQUITY', 'EQUITY'],
  ['equity_unaffected', 'Current Year Earnings', 'EQUITY', 'RETAINED_EARNINGS'],
  ['income', 'Income', 'INCOME', 'INCOME'],
  ['income_other', 'Other Income', 'INCOME', 'OTHER_INCOME'],
  ['expense', 'Expenses', 'EXPENSE', 'EXPENSE'],
  ['expense_other', '', 'EXPENSE', 'OTHER_EXPENSE'],
  ['expense_depreciation', 'Depreciation', 'EXPENSE', 'DEPRECIATION'],
  ['expense_direct_cost', 'Cost of Revenue', 'EXPENSE', 'COST_OF_GOODS_SOLD'],
  ['off_balance', 'Off-Balance Sheet', 'NON_POSTING', 'OTHER'],
]

describe('the type of an account', () => {
  it.each(TABLE)('%s is what the table says', (word, _name, classSystem, typeSystem) => {
    const outcome = account({ account_type: word, internal_group: word.split('_')[0] })
    expect(outcome).toMatchObject({ record: { classSystem, typeSystem, typeApp: word }, unmapped: [] })
  })

  it.each(TABLE.filter(([, name]) => name !== ''))(
    '%s, called %s until version 15, is the same',
    (_word, name, classSystem, typeSystem) => {
      const outcome = account({}, { id: 3, name, type: 'other', internal_group: 'asset' })
      expect(outcome).toMatchObject({ record: { classSystem, typeSystem, typeApp: name }, unmapped: [] })
    },
  )

  it.each([
    ['asset_receivable', 'GST Receivable', true, 'ASSET', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
    ['asset_receivable', 'Taxes à recevoir', true, 'ASSET', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
    ['asset_receivable', 'Owner’s Current Account', true, 'ASSET', 'OTHER_CURRENT_ASSET', ''],
    ['liability_payable', 'QST Payable', true, 'LIABILITY', 'TAX_LIABILITY', 'SALES_TAX'],
    ['liability_payable', 'Dû au siège', true, 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
    ['asset_receivable', 'Accounts Receivable', false, 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
    ['liability_payable', 'Accounts Payable', null, 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
    ['expense', 'Rent', true, 'EXPENSE', 'EXPENSE', 'RENT'],
  ])('%s "%s" with non_trade %j is none of trade only where it is so marked', (account_type, name, non_trade, ...becomes) => {
    const { record } = account({ account_type, name, non_trade })
    expect([record.classSystem, record.typeSystem, record.subTypeSystem]).toEqual(becomes)
  })

  it('reaches every type of the taxonomy that Odoo can tell', () => {
    const untold: AccountType[] = ['INVENTORY', 'TAX_LIABILITY', 'OTHER_LIABILITY']
    expect(new Set([...TABLE.map(([, , , type]) => type), ...untold])).toEqual(new Set(ACCOUNT_TYPES))
  })

  it.each([
    ['receivable', 'asset', 'ACCOUNTS_RECEIVABLE'],
    ['payable', 'liability', 'ACCOUNTS_PAYABLE'],
    ['liquidity', 'asset', 'BANK'],
    ['liquidity', 'liability', 'CREDIT_CARD'],
  ])('of an old type that was renamed is known by %s of %s', (type, group, typeSystem) => {
    expect(account({}, { id: 3, name: 'Perso', type, internal_group: group })).toMatchObject({ record: { typeSystem }, unmapped: [] })
  })

  it.each([
    ['asset_tokens', 'asset', 'ASSET', 'OTHER_ASSET', ['typeSystem: asset_tokens']],
    ['liability_tokens', 'liability', 'LIABILITY', 'OTHER_LIABILITY', ['typeSystem: liability_tokens']],
    ['equity_tokens', '', 'EQUITY', 'EQUITY', ['typeSystem: equity_tokens']],
    ['income_tokens', false, 'INCOME', 'INCOME', ['typeSystem: income_tokens']],
    ['expense_tokens', null, 'EXPENSE', 'EXPENSE', ['typeSystem: expense_tokens']],
    ['off_tokens', 'off', 'NON_POSTING', 'OTHER', ['typeSystem: off_tokens']],
    ['wellness_pool', 'wellness', 'UNKNOWN', 'OTHER', ['classSystem: wellness', 'typeSystem: wellness_pool']],
    [false, false, 'UNKNOWN', 'OTHER', ['classSystem: ', 'typeSystem: ']],
    ['constructor', 'toString', 'UNKNOWN', 'OTHER', ['classSystem: toString', 'typeSystem: constructor']],
  ])('%s of group %s takes what the group says and is counted', (word, group, classSystem, typeSystem, unmapped) => {
    expect(account({ account_type: word, internal_group: group })).toMatchObject({ record: { classSystem, typeSystem }, unmapped })
  })
})

describe('an account', () => {
  it('keeps number, name, note and words', () => {
    const { record } = account({ code: '0012', account_type: 'asset_cash', internal_group: 'asset', note: 'Été', active: true })
    expect(record).toEqual({
      origId: '7',
      number: '0012',
      name: 'Caisse',
      currency: 'CAD',
      description: 'Été',
      classApp: 'asset',
      classSystem: 'ASSET',
      typeApp: 'asset_cash',
      typeSystem: 'BANK',
      subTypeApp: '',
      subTypeSystem: '',
      statusApp: 'active',
      statusSystem: 'ACTIVE',
    })
  })

  it.each([
    [{ active: true }, 'active', 'ACTIVE'],
    [{ active: false }, 'archived', 'ARCHIVED'],
    [{ deprecated: false }, 'active', 'ACTIVE'],
    [{ deprecated: true }, 'deprecated', 'ARCHIVED'],
    [{ active: true, deprecated: true }, 'deprecated', 'ARCHIVED'],
    [{}, '', 'UNKNOWN'],
  ])('with %j has its status', (fields, statusApp, statusSystem) => {
    expect(account(fields).record).toMatchObject({ statusApp, statusSystem })
  })

  it.each([
    [[2, 'USD'], 'USD', []],
    [false, 'CAD', []],
    [[171, 'Points Mie'], '', ['currency: Points Mie']],
    [[9, 'usd'], '', ['currency: usd']],
  ])('with currency %j names it by its ISO code or not at all', (currency_id, currency, unmapped) => {
    const outcome = account({ account_type: 'asset_cash', currency_id })
    expect([outcome.record.currency, outcome.unmapped]).toEqual([currency, unmapped])
  })

  it('without a code of this company has no number', () => {
    expect(account({ code: false }).record.number).toBe('')
  })
})

describe('lines as Odoo gives them', () => {
  const items = [...pullEntries.read({ moves: fixture('moves'), lines: fixture('lines') })]
  const read = items.filter((item) => 'wire' in item)

  it('fit the wire schema', () => {
    for (const { wire } of read) expect(Value.Errors(LineWire, wire)).toEqual([])
  })

  it('become records with one positive side, to the last digit', () => {
    const lines = read.map(({ wire }) => runMapping(toTransaction, wire).record)
    expect(lines.map(({ origId, entryId, debit, credit }) => [origId, entryId, debit, credit])).toEqual([
      ['11', '1', '114.98', null],
      ['12', '1', null, '14.98'],
      ['13', '1', null, '100'],
      ['21', '2', '12345678901234567.89', null],
      ['22', '2', null, '12345678901234567.89'],
      ['31', '3', null, '40.5'],
      ['32', '3', '40.5', null],
    ])
  })

  it('name day, document, text, counterparty, currency and kind', () => {
    const [first] = read
    expect(first && runMapping(toTransaction, first.wire).record).toMatchObject({
      accountOrigId: '7',
      postedOn: '2026-05-31',
      document: 'INV/2026/00001',
      description: 'Commande 12',
      counterparty: 'Café Ébène inc.',
      currency: 'CAD',
      sourceType: 'out_invoice',
    })
  })

  it('are set aside with their reason, never dropped', () => {
    const reasons = items.filter((item) => 'unreadable' in item).map(({ origId, unreadable }) => [origId, unreadable])
    expect(reasons).toEqual([
      ['41', 'its entry does not balance'],
      ['move/5', 'an entry without a line that the user may see'],
      ['61', 'its entry has no possible day'],
      ['62', 'its entry has no possible day'],
      ['71', 'an amount of its entry is no exact decimal'],
      ['72', 'an amount of its entry is no exact decimal'],
      ['91', 'its entry is not on the page'],
    ])
  })
})

function account(fields: Record<string, unknown>, userType?: object) {
  const row = { id: 7, name: 'Caisse', ...fields, ...(userType ? { user_type_id: [3, 'x'] } : {}) }
  const types: Record<string, Uint8Array> = userType ? { types: bytes([userType]) } : {}
  const [item] = [...pullAccounts.read({ accounts: bytes([row]), company: bytes(COMPANY), ...types })]
  const wire = wireOf(item)
  expect(Value.Errors(AccountWire, wire)).toEqual([])
  return runMapping(toAccount, wire)
}

function wireOf(item: SourceItem | undefined): unknown {
  if (!item || !('wire' in item)) throw new Error('no record')
  return item.wire
}

function bytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
}
