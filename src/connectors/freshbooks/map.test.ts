import { describe, expect, test } from 'vitest'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping } from './map.ts'
import type { AccountWire } from './wire.ts'

function account(wire: Partial<AccountWire>) {
  return runMapping(accountMapping, { uuid: 'u-7', ...wire })
}

/** The ten sub types with their type, the roles that change them, and the expected mapping. */
const TABLE: readonly (readonly [type: string, subType: string, role: string, is: AccountClass, becomes: AccountType, finer: string])[] = [
  ['asset', 'Cash & Bank', '', 'ASSET', 'BANK', ''],
  ['asset', 'Cash & Bank', 'Cash', 'ASSET', 'BANK', 'CASH'],
  ['asset', 'Cash & Bank', 'Petty Cash', 'ASSET', 'BANK', 'CASH'],
  ['asset', 'Current Asset', '', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['asset', 'Current Asset', 'Accounts Receivable', 'ASSET', 'ACCOUNTS_RECEIVABLE', ''],
  ['asset', 'Property, Plant, and Equipment', '', 'ASSET', 'FIXED_ASSET', ''],
  ['asset', 'Long-Term Asset', '', 'ASSET', 'OTHER_ASSET', ''],
  ['liability', 'Current Liability', '', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['liability', 'Current Liability', 'Accounts Payable', 'LIABILITY', 'ACCOUNTS_PAYABLE', ''],
  ['liability', 'Long-Term Liability', '', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['equity', 'Equity', '', 'EQUITY', 'EQUITY', ''],
  ['equity', 'Equity', 'Retained Earnings', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['income', 'Income', '', 'INCOME', 'INCOME', ''],
  ['expense', 'Cost of Goods Sold', '', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['expense', 'Operating Expense', '', 'EXPENSE', 'EXPENSE', ''],
]

describe('the account mapping', () => {
  test.each([
    ['cad', 'CAD', []],
    ['', '', []],
    [undefined, '', []],
    [null, '', ['currency: not told']],
    ['dollars', '', ['currency: dollars']],
  ])('currency %j is "%s"', (currencyCode, currency, unmapped) => {
    expect(account(currencyCode === undefined ? {} : { currencyCode })).toMatchObject({ record: { currency }, unmapped })
  })

  test.each(TABLE)('%s / %s / "%s" becomes %s, %s, "%s"', (type, sub_type, role, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ type, sub_type, system_account_name: role === '' ? null : role })
    expect(mapped).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem, typeApp: sub_type, subTypeApp: role }, unmapped: [] })
  })

  test.each([
    ['asset', 'ASSET', 'OTHER_CURRENT_ASSET'],
    ['liability', 'LIABILITY', 'OTHER_CURRENT_LIABILITY'],
    ['equity', 'EQUITY', 'EQUITY'],
    ['income', 'INCOME', 'INCOME'],
    ['expense', 'EXPENSE', 'EXPENSE'],
  ])('an unknown sub type of type %s falls back to %s, %s, keeps its word and is counted', (type, classSystem, typeSystem) => {
    const mapped = account({ type, sub_type: 'Digital' })
    expect(mapped).toMatchObject({ record: { typeApp: 'Digital', classSystem, typeSystem }, unmapped: ['typeSystem: Digital'] })
  })

  test('an unknown type is counted even though the sub type is known', () => {
    const mapped = account({ type: 'crypto', sub_type: 'Cash & Bank' })
    expect(mapped).toMatchObject({ record: { classApp: 'crypto', classSystem: 'ASSET' }, unmapped: ['classSystem: crypto'] })
  })

  test('where type and sub type disagree the sub type wins and the source keeps its word', () => {
    const { record } = account({ type: 'asset', sub_type: 'Current Liability' })
    expect(record).toMatchObject({ classApp: 'asset', classSystem: 'LIABILITY', typeSystem: 'OTHER_CURRENT_LIABILITY' })
  })

  test('a role that contradicts the sub type changes nothing', () => {
    const { record } = account({ type: 'liability', sub_type: 'Current Liability', system_account_name: 'Accounts Receivable' })
    expect(record).toMatchObject({ typeSystem: 'OTHER_CURRENT_LIABILITY', subTypeApp: 'Accounts Receivable', subTypeSystem: '' })
  })

  test('an account that the owner called Accounts Receivable is not taken for the one of FreshBooks', () => {
    expect(account({ name: 'Accounts Receivable', type: 'asset', sub_type: 'Current Asset' }).record.typeSystem).toBe('OTHER_CURRENT_ASSET')
  })

  test.each([
    ['active', 'ACTIVE', []],
    ['archived', 'ARCHIVED', []],
    ['inactive', 'ARCHIVED', []],
    ['deleted', 'DELETED', []],
    ['frozen', 'UNKNOWN', ['statusSystem: frozen']],
  ])('the state %s is %s', (state, statusSystem, unmapped) => {
    const mapped = account({ state, type: 'asset', sub_type: 'Cash & Bank' })
    expect(mapped).toMatchObject({ record: { statusApp: state, statusSystem }, unmapped })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    const { record, unmapped } = account({ name: null, number: null, description: null, type: null, sub_type: null, state: null })
    expect(unmapped).toEqual([])
    expect(record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: 'u-7',
    })
  })
})
