import type { Row } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { Random } from '../../kit/random.ts'

/**
 * Subtypes with their normal balance side.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019968212-API-Reference
 */
export const SUBTYPES: readonly { type: string; value: string }[] = [
  ['ASSET', 'CASH_AND_BANK MONEY_IN_TRANSIT RECEIVABLE RECEIVABLE_INVOICES RECEIVABLE_OTHER INVENTORY PROPERTY_PLANT_EQUIPMENT'],
  ['ASSET', 'DEPRECIATION_AND_AMORTIZATION VENDOR_PREPAYMENTS_AND_CREDITS OTHER_CURRENT_ASSETS OTHER_LONG_TERM_ASSETS'],
  ['LIABILITY', 'CREDIT_CARD LOANS PAYABLE PAYABLE_BILLS PAYABLE_OTHER SALES_TAX DUE_FOR_PAYROLL DUE_TO_YOU_AND_OTHER_OWNERS'],
  ['LIABILITY', 'CUSTOMER_PREPAYMENTS_AND_CREDITS SYSTEM_CUSTOMER_CREDITS OTHER_CURRENT_LIABILITY OTHER_LONG_TERM_LIABILITY'],
  ['EQUITY', 'NON_RETAINED_EARNINGS RETAINED_EARNINGS TRANSFERS'],
  ['INCOME', 'INCOME DISCOUNTS OTHER_INCOME UNCATEGORIZED_INCOME GAIN_ON_FOREIGN_EXCHANGE'],
  ['EXPENSE', 'EXPENSE COST_OF_GOODS_SOLD PAYMENT_PROCESSING_FEES PAYROLL_EXPENSES UNCATEGORIZED_EXPENSE LOSS_ON_FOREIGN_EXCHANGE'],
  ['EXPENSE', 'UNKNOWN_ACCOUNT'],
].flatMap(([type = '', values = '']) => values.split(' ').map((value) => ({ type, value })))

const CONTRA = new Set(['DISCOUNTS', 'DEPRECIATION_AND_AMORTIZATION'])

const CURRENCIES: Readonly<Record<string, { symbol: string; name: string }>> = {
  CAD: { symbol: '$', name: 'Canadian dollar' },
  USD: { symbol: '$', name: 'United States dollar' },
  EUR: { symbol: '€', name: 'Euro' },
  XPF: { symbol: 'F', name: 'CFP franc' },
}

export function toCurrency(code: string): object {
  const known = CURRENCIES[code] ?? { symbol: code, name: code }
  return { code, ...known, plural: known.name, exponent: code === 'XPF' ? 0 : 2 }
}

interface ChartOptions {
  businessUuid: string
  currency: string
  random: Random
}

/**
 * Accounts from lines `displayId | name | type | subtype | words`; `-` means no displayId. Words: `archived`, a
 * currency, `about: …` (its description; the last word). Balances are drawn in cents from `random`.
 */
export function toAccounts(chart: string, options: ChartOptions): (readonly [id: string, row: Row])[] {
  return chart
    .trim()
    .split('\n')
    .map((line, index) => {
      const [displayId = '', name = '', type = '', subtype = '', words = ''] = line.split('|').map((cell) => cell.trim())
      return toAccount({
        ...options,
        number: 4_301_000_000_000_000_000n + BigInt(index + 1),
        displayId: displayId === '-' ? '' : displayId,
        name,
        type,
        subtype,
        currency: /\b[A-Z]{3}\b/.exec(words.replace(/about: .*/, ''))?.[0] ?? options.currency,
        isArchived: /\barchived\b/.test(words),
        description: /about: (.*)/.exec(words)?.[1] ?? '',
      })
    })
}

export function toGiantChart(count: number, options: ChartOptions): (readonly [id: string, row: Row])[] {
  return Array.from({ length: count }, (_, index) => {
    const { type, value } = SUBTYPES[index % SUBTYPES.length] ?? { type: '', value: '' }
    const name = giantName(index + 1)
    const isArchived = index % 97 === 96
    return toAccount({ ...options, number: BigInt(index + 1), displayId: '', name, type, subtype: value, isArchived, description: '' })
  })
}

interface AccountPlan extends ChartOptions {
  number: bigint
  displayId: string
  name: string
  type: string
  subtype: string
  isArchived: boolean
  description: string
}

function toAccount(plan: AccountPlan): readonly [id: string, row: Row] {
  const id = Buffer.from(`Account:${plan.number};Business:${plan.businessUuid}`).toString('base64')
  const isDebit = (plan.type === 'ASSET' || plan.type === 'EXPENSE') !== CONTRA.has(plan.subtype)
  const normalBalanceType = isDebit ? 'DEBIT' : 'CREDIT'
  const cents = plan.random.below(9_000_000)
  const balance = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
  return [
    id,
    {
      id,
      classicId: String(plan.number),
      name: plan.name,
      description: plan.description === '' ? null : plan.description,
      displayId: plan.displayId === '' ? null : plan.displayId,
      currency: toCurrency(plan.currency),
      type: { name: toTitle(plan.type), value: plan.type, normalBalanceType },
      subtype: { name: toTitle(plan.subtype), value: plan.subtype },
      normalBalanceType,
      isArchived: plan.isArchived,
      sequence: plan.random.below(9),
      balance,
      balanceInBusinessCurrency: balance,
    },
  ]
}

function toTitle(word: string): string {
  return word
    .toLowerCase()
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join(' ')
}
