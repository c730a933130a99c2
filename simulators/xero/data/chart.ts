import type { Row } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import { hashHex, type Random } from '../../kit/random.ts'

const CLASSES: Readonly<Record<string, string>> = {
  BANK: 'ASSET',
  CURRENT: 'ASSET',
  INVENTORY: 'ASSET',
  PREPAYMENT: 'ASSET',
  FIXED: 'ASSET',
  NONCURRENT: 'ASSET',
  DIGITALASSET: 'ASSET',
  CURRLIAB: 'LIABILITY',
  LIABILITY: 'LIABILITY',
  TERMLIAB: 'LIABILITY',
  PAYG: 'LIABILITY',
  EQUITY: 'EQUITY',
  REVENUE: 'REVENUE',
  SALES: 'REVENUE',
  OTHERINCOME: 'REVENUE',
  DIRECTCOSTS: 'EXPENSE',
  EXPENSE: 'EXPENSE',
  OVERHEADS: 'EXPENSE',
  DEPRECIATN: 'EXPENSE',
}

const GIANT_TYPES = [
  'BANK',
  'CURRENT',
  'FIXED',
  'CURRLIAB',
  'TERMLIAB',
  'EQUITY',
  'REVENUE',
  'DIRECTCOSTS',
  'EXPENSE',
  'DEPRECIATN',
] as const

/**
 * Accounts from lines `code | name | Type | words`. `-` means no code. Words: `archived`, a currency, `CREDITCARD` or
 * `PAYPAL` (bank accounts are `BANK` otherwise), `system:…`, `report:…`, `about: …` (the description; the last word).
 */
export function toAccounts(chart: string, tenantId: string, currency: string, random: Random): Row[] {
  return chart
    .trim()
    .split('\n')
    .map((line, index) => {
      const [code = '', name = '', type = '', words = ''] = line.split('|').map((cell) => cell.trim())
      const short = words.replace(/about: .*/, '')
      return toAccount({
        id: toUuid(tenantId, `account ${index}`),
        code: code === '-' ? '' : code,
        name,
        type,
        currency: /\b[A-Z]{3}\b/.exec(short.replace(/report:\S+/, ''))?.[0] ?? currency,
        bankKind: /\b(CREDITCARD|PAYPAL)\b/.exec(short)?.[1] ?? 'BANK',
        system: /system:([A-Z]+)/.exec(short)?.[1] ?? '',
        report: /report:([A-Z.]+)/.exec(short)?.[1] ?? '',
        isArchived: /\barchived\b/.test(short),
        description: /about: (.*)/.exec(words)?.[1] ?? '',
        random,
      })
    })
}

export function toGiantChart(count: number, tenantId: string, currency: string, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const code = String(index + 1).padStart(5, '0')
    const type = GIANT_TYPES[index % GIANT_TYPES.length] ?? GIANT_TYPES[0]
    const isArchived = index % 97 === 96
    const plain = { currency, bankKind: 'BANK', system: '', report: '', description: '', random }
    return toAccount({ id: toUuid(tenantId, `account ${index}`), code, name: giantName(index + 1), type, isArchived, ...plain })
  })
}

interface AccountPlan {
  id: string
  code: string
  name: string
  type: string
  currency: string
  bankKind: string
  system: string
  report: string
  isArchived: boolean
  description: string
  random: Random
}

/** Only bank accounts have a number, a kind and a currency; Class is ASSET for credit cards too, as at Xero. */
function toAccount(plan: AccountPlan): Row {
  const accountClass = CLASSES[plan.type]
  if (accountClass === undefined) throw new Error(`no class for "${plan.type}"`)
  const isBank = plan.type === 'BANK'
  const number = String(10_000_000 + plan.random.below(89_999_999))
  const updatedAt = Date.UTC(2026, plan.random.below(6), 1 + plan.random.below(28), 15, plan.random.below(60), 30, plan.random.below(1000))
  return {
    AccountID: plan.id,
    ...(plan.code === '' ? {} : { Code: plan.code }),
    Name: plan.name,
    Status: plan.isArchived ? 'ARCHIVED' : 'ACTIVE',
    Type: plan.type,
    TaxType: ['REVENUE', 'EXPENSE'].includes(accountClass) ? 'INPUT' : 'NONE',
    ...(plan.description === '' || isBank ? {} : { Description: plan.description }),
    Class: accountClass,
    ...(plan.system === '' ? {} : { SystemAccount: plan.system }),
    EnablePaymentsToAccount: false,
    ShowInExpenseClaims: false,
    ...(isBank ? { BankAccountNumber: number, BankAccountType: plan.bankKind, CurrencyCode: plan.currency } : { BankAccountType: '' }),
    ...(plan.report === '' ? {} : { ReportingCode: plan.report, ReportingCodeName: plan.name }),
    HasAttachments: false,
    UpdatedDateUTC: toMsDate(updatedAt),
    AddToWatchlist: false,
  }
}

/** Deterministic in the organisation and name. */
export function toUuid(tenantId: string, name: string): string {
  const hex = hashHex(32, `${tenantId}/${name}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** `/Date(1573755038314+0000)/` */
export function toMsDate(milliseconds: number): string {
  return `/Date(${milliseconds}+0000)/`
}
