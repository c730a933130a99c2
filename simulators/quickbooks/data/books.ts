import { giantName } from '../../kit/data/giant-names.ts'
import { createRandom, type Random } from '../../kit/random.ts'
import { type Row, toAccount, toAccounts } from './chart.ts'
import type { Company } from './companies.ts'
import { toJournalEntries } from './journal.ts'

/** All data of one company, rows in order of Id. */
export interface Books {
  accounts: Row[]
  entries: Row[]
  info: Row
}

/** Books of the company as generated from the seed, before any edit. */
export function toBooks(company: Company, seed: number, giantAccounts: number): Books {
  const random = createRandom(seed * 1_000_003 + Number(company.realmId.slice(-4)))
  const accounts =
    company.chart === null ? toGiantChart(giantAccounts, company.currency, random) : toAccounts(company.chart, company.currency, random)
  addUpSubAccounts(accounts)
  return {
    accounts,
    entries: toJournalEntries(company.routines, company.months, accounts, company.currency, random),
    info: toCompanyInfo(company),
  }
}

const GIANT_KINDS = [
  ['Bank', 'Checking'],
  ['Other Current Asset', 'PrepaidExpenses'],
  ['Fixed Asset', 'Vehicles'],
  ['Accounts Payable', 'AccountsPayable'],
  ['Credit Card', 'CreditCard'],
  ['Other Current Liability', 'SalesTaxPayable'],
  ['Income', 'ServiceFeeIncome'],
  ['Cost of Goods Sold', 'SuppliesMaterialsCogs'],
  ['Expense', 'Utilities'],
  ['Other Expense', 'Depreciation'],
] as const

function toGiantChart(count: number, currency: string, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [type, subType] = GIANT_KINDS[index % GIANT_KINDS.length] ?? GIANT_KINDS[0]
    const number = String(index + 1).padStart(5, '0')
    const isActive = index % 97 !== 96
    return toAccount({
      id: index + 1,
      number,
      name: giantName(index + 1),
      type,
      subType,
      currency,
      parent: null,
      isActive,
      isFresh: false,
      description: '',
      random,
    })
  })
}

function addUpSubAccounts(accounts: Row[]): void {
  const cents = new Map(accounts.map((account) => [account.Id, toCents(account.CurrentBalance)]))
  for (const account of accounts) {
    const parentId = parentOf(account)
    if (parentId !== null) cents.set(parentId, (cents.get(parentId) ?? 0) + toCents(account.CurrentBalance))
  }
  for (const account of accounts) account.CurrentBalanceWithSubAccounts = (cents.get(account.Id) ?? 0) / 100
}

function parentOf(account: Row): string | null {
  const reference = account.ParentRef
  return typeof reference === 'object' && reference !== null && 'value' in reference ? String(reference.value) : null
}

function toCents(balance: unknown): number {
  return Math.round(Number(balance) * 100)
}

function toCompanyInfo(company: Company): Row {
  const address = { Id: '1', ...company.address, Country: company.country }
  return {
    CompanyName: company.name,
    LegalName: company.legalName,
    CompanyAddr: address,
    LegalAddr: address,
    CompanyStartDate: '2022-01-03',
    FiscalYearStartMonth: 'January',
    Country: company.country,
    SupportedLanguages: company.country === 'CA' ? 'en,fr' : 'en',
    NameValue: [{ Name: 'NeoEnabled', Value: 'true' }],
    domain: 'QBO',
    sparse: false,
    Id: '1',
    SyncToken: '4',
    MetaData: { CreateTime: '2022-01-03T08:00:00-08:00', LastUpdatedTime: '2026-05-04T10:30:00-07:00' },
  }
}
