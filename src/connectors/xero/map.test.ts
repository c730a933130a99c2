import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { EMPTY_ACCOUNT, runMapping } from '../toolkit/test-mapping.ts'
import { accountMapping, transactionMapping } from './map.ts'
import type { AccountWire, PostingWire } from './wire.ts'

const DOCUMENT = new URL('../../../../shared/specs/accounting/xero_accounting.yaml', import.meta.url)

function account(wire: Partial<AccountWire['Account']>, BaseCurrency: string | null = 'CAD') {
  return runMapping(accountMapping, { Account: { AccountID: '7', ...wire }, Organisation: { BaseCurrency } })
}

/** The table of the reference: Type, Class given, class, type and sub type. */
const TYPES: readonly (readonly [type: string, given: string, is: AccountClass, becomes: AccountType, subType: string])[] = [
  ['BANK', 'ASSET', 'ASSET', 'BANK', ''],
  ['CURRENT', 'ASSET', 'ASSET', 'OTHER_CURRENT_ASSET', ''],
  ['INVENTORY', 'ASSET', 'ASSET', 'INVENTORY', ''],
  ['PREPAYMENT', 'ASSET', 'ASSET', 'PREPAYMENT', ''],
  ['FIXED', 'ASSET', 'ASSET', 'FIXED_ASSET', ''],
  ['NONCURRENT', 'ASSET', 'ASSET', 'OTHER_ASSET', ''],
  ['CURRLIAB', 'LIABILITY', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', ''],
  ['PAYG', 'LIABILITY', 'LIABILITY', 'TAX_LIABILITY', ''],
  ['PAYGLIABILITY', 'LIABILITY', 'LIABILITY', 'TAX_LIABILITY', ''],
  ['SUPERANNUATIONLIABILITY', 'LIABILITY', 'LIABILITY', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['LIABILITY', 'LIABILITY', 'LIABILITY', 'OTHER_LIABILITY', ''],
  ['TERMLIAB', 'LIABILITY', 'LIABILITY', 'LONG_TERM_LIABILITY', ''],
  ['EQUITY', 'EQUITY', 'EQUITY', 'EQUITY', ''],
  ['REVENUE', 'REVENUE', 'INCOME', 'INCOME', ''],
  ['SALES', 'REVENUE', 'INCOME', 'INCOME', 'SALES'],
  ['OTHERINCOME', 'REVENUE', 'INCOME', 'OTHER_INCOME', ''],
  ['DIRECTCOSTS', 'EXPENSE', 'EXPENSE', 'COST_OF_GOODS_SOLD', ''],
  ['EXPENSE', 'EXPENSE', 'EXPENSE', 'EXPENSE', ''],
  ['OVERHEADS', 'EXPENSE', 'EXPENSE', 'EXPENSE', ''],
  ['WAGESEXPENSE', 'EXPENSE', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['SUPERANNUATIONEXPENSE', 'EXPENSE', 'EXPENSE', 'EXPENSE', 'PAYROLL'],
  ['DEPRECIATN', 'EXPENSE', 'EXPENSE', 'DEPRECIATION', ''],
]

/** Accounts that Xero manages itself: SystemAccount on a Type. */
const SYSTEM: readonly (readonly [system: string, on: string, becomes: AccountType, subType: string])[] = [
  ['DEBTORS', 'CURRENT', 'ACCOUNTS_RECEIVABLE', ''],
  ['CREDITORS', 'CURRLIAB', 'ACCOUNTS_PAYABLE', ''],
  ['GST', 'CURRLIAB', 'TAX_LIABILITY', 'SALES_TAX'],
  ['GSTONIMPORTS', 'CURRLIAB', 'TAX_LIABILITY', 'SALES_TAX'],
  ['GST', 'CURRENT', 'OTHER_CURRENT_ASSET', 'SALES_TAX'],
  ['WAGEPAYABLES', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['UNPAIDEXPCLM', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', 'PAYROLL_LIABILITY'],
  ['ROUNDING', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', 'ROUNDING'],
  ['HISTORICAL', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', 'SUSPENSE'],
  ['TRACKINGTRANSFERS', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', 'SUSPENSE'],
  ['RETAINEDEARNINGS', 'EQUITY', 'RETAINED_EARNINGS', ''],
  ['BANKCURRENCYGAIN', 'EXPENSE', 'EXPENSE', 'FX_GAIN_LOSS'],
  ['REALISEDCURRENCYGAIN', 'EXPENSE', 'EXPENSE', 'FX_GAIN_LOSS'],
  ['UNREALISEDCURRENCYGAIN', 'OVERHEADS', 'EXPENSE', 'FX_GAIN_LOSS'],
  ['CISLIABILITY', 'CURRLIAB', 'OTHER_CURRENT_LIABILITY', ''],
]

describe('the account mapping', () => {
  test.each(TYPES)('%s of class %s becomes %s, %s, "%s"', (Type, Class, classSystem, typeSystem, subTypeSystem) => {
    expect(account({ Type, Class })).toMatchObject({ record: { classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test.each(SYSTEM)('%s on %s becomes %s, "%s"', (SystemAccount, Type, typeSystem, subTypeSystem) => {
    const mapped = account({ Type, SystemAccount })
    expect(mapped).toMatchObject({ record: { typeSystem, subTypeSystem, subTypeApp: SystemAccount }, unmapped: [] })
  })

  test.each([
    ['CREDITCARD', 'LIABILITY', 'CREDIT_CARD', ''],
    ['PAYPAL', 'ASSET', 'BANK', 'PAYPAL'],
    ['BANK', 'ASSET', 'BANK', ''],
    ['NONE', 'ASSET', 'BANK', ''],
    ['', 'ASSET', 'BANK', ''],
  ])('a bank account of kind "%s" becomes %s, %s, "%s"', (BankAccountType, classSystem, typeSystem, subTypeSystem) => {
    const mapped = account({ Type: 'BANK', Class: 'ASSET', BankAccountType })
    expect(mapped).toMatchObject({ record: { classApp: 'ASSET', classSystem, typeSystem, subTypeSystem }, unmapped: [] })
  })

  test('the kind of a bank account means nothing on an account that is none', () => {
    expect(account({ Type: 'CURRENT', BankAccountType: 'CREDITCARD' }).record).toMatchObject({ classSystem: 'ASSET', subTypeApp: '' })
  })

  test.each([
    ['FIXED', 'ASS.NCA.FIX.OWN.PLA.ACC', 'ACCUMULATED_DEPRECIATION'],
    ['FIXED', 'ASS.NCA.FIX.OWN.PLA', ''],
    ['CURRENT', 'ASS.CUR.REC.ACC', ''],
    ['CURRLIAB', 'LIA.CUR.TAX.VAT', 'SALES_TAX'],
    ['TERMLIAB', 'LIA.NCL.LOA', 'LOAN'],
    ['TERMLIAB', 'LIA.NCL.LOA.BAN', 'LOAN'],
    ['REVENUE', 'REV.TRA.GOO', 'SALES'],
    ['REVENUE', 'REV.TRA.SER', 'SERVICES'],
    ['OTHERINCOME', 'REV.INV.INT', 'INTEREST_INCOME'],
    ['EXPENSE', 'EXP.FOR.UGL', 'FX_GAIN_LOSS'],
    ['EXPENSE', 'EXP.FORKS', ''],
  ])('%s with reporting code %s is of sub type "%s"', (Type, ReportingCode, subTypeSystem) => {
    expect(account({ Type, ReportingCode })).toMatchObject({ record: { subTypeSystem, subTypeApp: ReportingCode }, unmapped: [] })
  })

  test('a reporting code, which anyone may set, changes no type', () => {
    expect(account({ Type: 'EXPENSE', ReportingCode: 'EQU.RET' }).record).toMatchObject({ classSystem: 'EXPENSE', typeSystem: 'EXPENSE' })
  })

  test.each([
    ['ASSET', 'ASSET', 'OTHER_ASSET'],
    ['LIABILITY', 'LIABILITY', 'OTHER_LIABILITY'],
    ['EQUITY', 'EQUITY', 'EQUITY'],
    ['REVENUE', 'INCOME', 'INCOME'],
    ['EXPENSE', 'EXPENSE', 'EXPENSE'],
    ['', 'UNKNOWN', 'OTHER'],
  ])('an unknown Type of class "%s" falls back to %s, %s, keeps its word and is counted', (Class, classSystem, typeSystem) => {
    const mapped = account({ Class, Type: 'DIGITALASSET' })
    expect(mapped.record).toMatchObject({ typeApp: 'DIGITALASSET', classSystem, typeSystem, subTypeSystem: '' })
    expect(mapped.unmapped).toEqual(['typeSystem: DIGITALASSET'])
  })

  test('where class and type disagree the type wins and the source keeps its word', () => {
    expect(account({ Class: 'LIABILITY', Type: 'DEPRECIATN' }).record).toMatchObject({
      classApp: 'LIABILITY',
      classSystem: 'EXPENSE',
      typeSystem: 'DEPRECIATION',
    })
  })

  test('unknown finer words are counted and the account survives', () => {
    const mapped = account({
      Type: 'BANK',
      Class: 'INTANGIBLE',
      BankAccountType: 'WALLET',
      SystemAccount: 'TOKENS',
      ReportingCode: 'TOK.1',
    })
    expect(mapped.record).toMatchObject({ classSystem: 'ASSET', typeSystem: 'BANK', subTypeApp: 'TOKENS', subTypeSystem: '' })
    expect(mapped.unmapped).toEqual(['classSystem: INTANGIBLE', 'subTypeSystem: TOKENS', 'subTypeSystem: WALLET', 'subTypeSystem: TOK.1'])
  })

  test.each([
    ['ACTIVE', 'ACTIVE', []],
    ['ARCHIVED', 'ARCHIVED', []],
    ['DELETED', 'DELETED', []],
    ['FROZEN', 'UNKNOWN', ['statusSystem: FROZEN']],
    ['', 'UNKNOWN', []],
  ])('the status "%s" is %s', (Status, statusSystem, unmapped) => {
    expect(account({ Status })).toMatchObject({ record: { statusApp: Status, statusSystem }, unmapped })
  })

  test.each([
    ['USD', 'CAD', 'USD', []],
    [null, 'CAD', 'CAD', []],
    ['', 'cad', 'CAD', []],
    [null, null, '', []],
    ['Points', 'CAD', '', ['currency: Points']],
  ])('currency %s in an organisation of %s is "%s"', (CurrencyCode, base, currency, unmapped) => {
    expect(account({ CurrencyCode }, base)).toMatchObject({ record: { currency }, unmapped })
  })

  test('what the source leaves out or sends as null is empty, never invented', () => {
    expect(account({ Code: null, Name: null, Description: null, Type: null, Class: null, Status: null }, null).record).toEqual({
      ...EMPTY_ACCOUNT,
      origId: '7',
    })
  })

  test.skipIf(!existsSync(DOCUMENT))(`every word of Xero's own document is known (skipped without ../shared/specs)`, () => {
    const { AccountType, Account } = parse(readFileSync(DOCUMENT, 'utf8')).components.schemas
    const unmapped = [
      ...AccountType.enum.flatMap((Type: string) => account({ Type }).unmapped),
      ...Account.properties.Class.enum.flatMap((Class: string) => account({ Class }).unmapped),
      ...Account.properties.Status.enum.flatMap((Status: string) => account({ Status }).unmapped),
      ...Account.properties.BankAccountType.enum.flatMap((BankAccountType: string) => account({ Type: 'BANK', BankAccountType }).unmapped),
      ...Account.properties.SystemAccount.enum.flatMap((SystemAccount: string) => account({ SystemAccount }).unmapped),
    ]
    expect(AccountType.enum.length).toBeGreaterThan(17)
    expect(unmapped).toEqual([])
  })
})

describe('the transaction mapping', () => {
  const journal: PostingWire = {
    Journal: { JournalID: 'j1', JournalNumber: 12, JournalDate: '/Date(1772236800000+0000)/', Reference: 'INV-7', SourceType: 'ACCREC' },
    Line: { JournalLineID: 'l1', AccountID: 'a1', Description: '', NetAmount: 10.5 },
    Organisation: { BaseCurrency: 'CAD' },
  }
  const manual: PostingWire = {
    ManualJournal: { ManualJournalID: 'm1', Narration: 'Month end', Date: '2026-02-28T00:00:00', Status: 'POSTED' },
    Line: { AccountID: 'a2', Description: 'Chairs', LineAmount: '-12345678901234567.89' },
    position: 2,
    Organisation: { BaseCurrency: 'CAD' },
  }

  test('a line of a journal becomes a posting with everything its journal says', () => {
    expect(runMapping(transactionMapping, journal).record).toEqual({
      origId: 'j1:l1',
      entryId: 'j1',
      accountOrigId: 'a1',
      postedOn: '2026-02-28',
      document: '12',
      description: 'INV-7',
      counterparty: '',
      debit: '10.5',
      credit: null,
      currency: 'CAD',
      sourceType: 'ACCREC',
    })
  })

  test('a line of a manual journal becomes a posting known by its place; a negative amount is a credit', () => {
    expect(runMapping(transactionMapping, manual).record).toEqual({
      origId: 'm1:2',
      entryId: 'm1',
      accountOrigId: 'a2',
      postedOn: '2026-02-28',
      document: '',
      description: 'Chairs',
      counterparty: '',
      debit: null,
      credit: '12345678901234567.89',
      currency: 'CAD',
      sourceType: 'MANJOURNAL',
    })
  })
})
