import type { Random } from '../../kit/random.ts'

/** A record of a company as the API returns it. */
export type Row = { Id: string; [property: string]: unknown }

const CLASSIFICATIONS: Readonly<Record<string, string>> = {
  Bank: 'Asset',
  'Accounts Receivable': 'Asset',
  'Other Current Asset': 'Asset',
  'Fixed Asset': 'Asset',
  'Other Asset': 'Asset',
  'Accounts Payable': 'Liability',
  'Credit Card': 'Liability',
  'Other Current Liability': 'Liability',
  'Long Term Liability': 'Liability',
  Equity: 'Equity',
  Income: 'Revenue',
  'Other Income': 'Revenue',
  'Cost of Goods Sold': 'Expense',
  Expense: 'Expense',
  'Other Expense': 'Expense',
}

export const CURRENCY_NAMES: Readonly<Record<string, string>> = {
  CAD: 'Canadian Dollar',
  USD: 'United States Dollar',
  EUR: 'Euro',
  CLF: 'Unidad de Fomento',
}

/** Accounts whose normal balance is opposite to that of their class. */
const CONTRA = /^(Accumulated|AllowanceForBadDebts|TreasuryStock)/

/**
 * Accounts from lines `number | name | type | sub type | words`. `-` means no number; `>` before a name makes it a
 * sub-account of the last account without one. Words: `inactive`, a currency, `fresh` (not updated since it was
 * created), `about: …` (its description; the last word). Balances are debit-positive in cents drawn from `random`,
 * zero for income and expenses.
 */
export function toAccounts(chart: string, currency: string, random: Random): Row[] {
  let parent: Row | null = null
  const accounts: Row[] = []
  for (const line of chart.trim().split('\n')) {
    const [number = '', title = '', type = '', subType = '', words = ''] = line.split('|').map((cell) => cell.trim())
    const isChild = title.startsWith('> ')
    const account = toAccount({
      id: accounts.length + 1,
      number: number === '-' ? '' : number,
      name: title.replace(/^> /, ''),
      type,
      subType,
      currency: /\b[A-Z]{3}\b/.exec(words.replace(/about: .*/, ''))?.[0] ?? currency,
      parent: isChild ? parent : null,
      isActive: !/\binactive\b/.test(words),
      isFresh: /\bfresh\b/.test(words),
      description: /about: (.*)/.exec(words)?.[1] ?? '',
      random,
    })
    if (!isChild) parent = account
    accounts.push(account)
  }
  return accounts
}

interface AccountPlan {
  id: number
  number: string
  name: string
  type: string
  subType: string
  currency: string
  parent: Row | null
  isActive: boolean
  isFresh: boolean
  description: string
  random: Random
}

/** QuickBooks appends " (deleted)" to the name of an account that is made inactive. */
export function toAccount(plan: AccountPlan): Row {
  const classification = CLASSIFICATIONS[plan.type]
  if (classification === undefined) throw new Error(`no classification for "${plan.type}"`)
  const name = plan.isActive ? plan.name : `${plan.name} (deleted)`
  const balance = toBalance(classification, plan.subType, plan.random)
  const day = String(1 + plan.random.below(28)).padStart(2, '0')
  const created = `2022-0${1 + plan.random.below(6)}-${day}T09:${10 + plan.random.below(50)}:00-07:00`
  const updated = `2026-0${1 + plan.random.below(6)}-${day}T15:${10 + plan.random.below(50)}:30-07:00`
  return {
    Name: name,
    SubAccount: plan.parent !== null,
    ...(plan.parent ? { ParentRef: { value: plan.parent.Id } } : {}),
    ...(plan.description === '' ? {} : { Description: plan.description }),
    FullyQualifiedName: plan.parent ? `${plan.parent.FullyQualifiedName}:${name}` : name,
    Active: plan.isActive,
    Classification: classification,
    AccountType: plan.type,
    AccountSubType: plan.subType,
    ...(plan.number === '' ? {} : { AcctNum: plan.number }),
    CurrentBalance: balance,
    CurrentBalanceWithSubAccounts: balance,
    CurrencyRef: { value: plan.currency, name: CURRENCY_NAMES[plan.currency] ?? plan.currency },
    domain: 'QBO',
    sparse: false,
    Id: String(plan.id),
    SyncToken: plan.isFresh ? '0' : String(plan.random.below(6)),
    MetaData: { CreateTime: created, ...(plan.isFresh ? {} : { LastUpdatedTime: updated }) },
  }
}

function toBalance(classification: string, subType: string, random: Random): number {
  if (classification === 'Revenue' || classification === 'Expense') return 0
  const cents = random.below(9_000_000)
  const isDebit = (classification === 'Asset') !== CONTRA.test(subType)
  return (isDebit ? cents : -cents) / 100
}
