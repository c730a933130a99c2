import type { Random } from '../../kit/random.ts'

/** A record as Odoo returns it, with the fields of every version. */
export type Row = { id: number; [field: string]: unknown }

/** `res.currency` by name. The last two are not ISO currencies: a company can create its own in Odoo. */
const CURRENCY_IDS: Readonly<Record<string, number>> = { EUR: 1, USD: 2, CAD: 4, JPY: 25, CLF: 44, MILES: 170, 'Points Mie': 171 }

/**
 * Accounts from lines `code | name | account_type | words`. `-` means no code. Words: `archived`, a currency in
 * brackets, `fresh` (not written since it was created), `about: …` (its description; the last word).
 */
export function toAccounts(chart: string, companyId: number, random: Random): Row[] {
  const lines = chart.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => {
    const [code = '', name = '', accountType = '', words = ''] = line.split('|').map((cell) => cell.trim())
    return toAccount({
      id: companyId * 100_000 + index + 1,
      companyId,
      code: code === '-' ? '' : code,
      name,
      accountType,
      currency: /\[(.+)\]/.exec(words)?.[1] ?? '',
      isArchived: /\barchived\b/.test(words.replace(/about: .*/, '')),
      description: /about: (.*)/.exec(words)?.[1] ?? '',
      random,
    })
  })
}

interface AccountPlan {
  id: number
  companyId: number
  code: string
  name: string
  accountType: string
  currency: string
  isArchived: boolean
  description: string
  random: Random
}

/** An account with the fields of every version; models.ts selects from them. */
export function toAccount(plan: AccountPlan): Row {
  const day = String(1 + plan.random.below(28)).padStart(2, '0')
  return {
    id: plan.id,
    code: plan.code === '' ? false : plan.code,
    name: plan.name,
    account_type: plan.accountType,
    internal_group: plan.accountType.split('_')[0] ?? '',
    currency_id: plan.currency === '' ? false : toCurrency(plan.currency),
    active: !plan.isArchived,
    deprecated: plan.isArchived,
    reconcile: /receivable|payable/.test(plan.accountType),
    // As in Odoo's Canadian chart: receivable from, or payable to, neither customers nor suppliers.
    non_trade: /_(receivable|payable)$/.test(plan.accountType) && /\b(tax|gst|hst|qst|tps|tvq|owner)/i.test(plan.name),
    description: plan.description === '' ? false : plan.description,
    note: plan.description === '' ? false : plan.description,
    company_id: plan.companyId,
    company_ids: [plan.companyId],
    create_date: `2022-0${1 + plan.random.below(6)}-${day} 14:${10 + plan.random.below(50)}:00`,
    write_date: `2026-0${1 + plan.random.below(6)}-${day} 20:${10 + plan.random.below(50)}:30`,
  }
}

export function toCurrency(name: string): [number, string] {
  const id = CURRENCY_IDS[name]
  if (id === undefined) throw new Error(`unknown currency "${name}"`)
  return [id, name]
}
