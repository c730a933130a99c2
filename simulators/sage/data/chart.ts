import type { Random } from '../../kit/random.ts'

/** A list item as the API returns it. */
export type Row = { id: string; [property: string]: unknown }

/** Ledger account types: group, and the French title shown in Canada. */
export const TYPES: Readonly<Record<string, { group: string; title: string }>> = {
  SALES: { group: 'INCOME', title: 'Ventes' },
  OTHER_INCOME: { group: 'INCOME', title: 'Autres revenus' },
  DIRECT_EXPENSES: { group: 'EXPENSE', title: 'Coûts directs' },
  OVERHEADS: { group: 'EXPENSE', title: 'Frais généraux' },
  DEPRECIATION: { group: 'EXPENSE', title: 'Amortissement' },
  CURRENT_ASSETS: { group: 'ASSET', title: 'Actif à court terme' },
  FIXED_ASSETS: { group: 'ASSET', title: 'Immobilisations' },
  FUTURE_ASSETS: { group: 'ASSET', title: 'Actif à long terme' },
  BANK: { group: 'ASSET', title: 'Banque' },
  LINE_OF_CREDIT: { group: 'LIABILITY', title: 'Marge de crédit' },
  CURRENT_LIABILITY: { group: 'LIABILITY', title: 'Passif à court terme' },
  FUTURE_LIABILITY: { group: 'LIABILITY', title: 'Passif à long terme' },
  EQUITY: { group: 'EQUITY', title: 'Capitaux propres' },
}

const GROUP_TITLES: Readonly<Record<string, string>> = {
  ASSET: 'Actif',
  LIABILITY: 'Passif',
  EQUITY: 'Capitaux propres',
  INCOME: 'Revenus',
  EXPENSE: 'Charges',
}

const AREAS: Readonly<Record<string, readonly string[]>> = {
  INCOME: ['other_receipts', 'sales'],
  EXPENSE: ['expenses', 'other_payments'],
  ASSET: ['other_payments', 'other_receipts'],
  LIABILITY: ['other_payments', 'other_receipts'],
  EQUITY: ['other_payments', 'other_receipts'],
}

/**
 * Accounts from lines `code | name | type | words`. Words: `out` (out of the chart and hidden everywhere), `hidden`
 * (out of the chart, still seen in journals), `control: NAME`, `class: ID` (its classification), `group: ID` (if the
 * type is not one of Sage's).
 */
export function toAccounts(chart: string, businessNumber: number, random: Random): Row[] {
  return chart
    .trim()
    .split('\n')
    .map((line, index) => {
      const [code = '', name = '', type = '', words = ''] = line.split('|').map((cell) => cell.trim())
      return toAccount({
        id: toId(businessNumber, 'a', index + 1),
        code: Number(code),
        name,
        type,
        group: wordAfter('group', words) ?? TYPES[type]?.group ?? '',
        control: wordAfter('control', words),
        classification: wordAfter('class', words),
        visibility: /\bout\b/.test(words) ? 'none' : /\bhidden\b/.test(words) ? 'journals' : 'all',
        random,
      })
    })
}

interface AccountPlan {
  id: string
  code: number
  name: string
  type: string
  group: string
  control: string | null
  classification: string | null
  visibility: 'all' | 'journals' | 'none'
  random: Random
}

/** A ledger account with all attributes; its balance has no period. */
export function toAccount(plan: AccountPlan): Row {
  const { random, visibility } = plan
  const day = String(1 + random.below(28)).padStart(2, '0')
  const areas =
    visibility === 'all' ? ['journals', 'reporting', ...(AREAS[plan.group] ?? [])] : visibility === 'journals' ? ['journals'] : []
  const isVisible = (area: string) => areas.includes(area) || (area === 'banking' && plan.type === 'BANK' && visibility === 'all')
  return {
    id: plan.id,
    displayed_as: `${plan.name} (${plan.code})`,
    $path: `/ledger_accounts/${plan.id}`,
    created_at: `2022-0${1 + random.below(6)}-${day}T14:${10 + random.below(50)}:00Z`,
    updated_at: `2026-0${1 + random.below(6)}-${day}T19:${10 + random.below(50)}:30Z`,
    ledger_account_group: { id: plan.group, displayed_as: GROUP_TITLES[plan.group] ?? plan.group },
    name: plan.name,
    display_name: plan.name,
    visible_scopes: areas,
    included_in_chart: visibility === 'all',
    nominal_code: plan.code,
    ledger_account_type: { id: plan.type, displayed_as: TYPES[plan.type]?.title ?? plan.type, $path: `/ledger_account_types/${plan.type}` },
    ...(plan.classification === null ? {} : { ledger_account_classification: toClassification(plan.classification) }),
    fixed_tax_rate: false,
    visible_in_banking: isVisible('banking'),
    visible_in_expenses: isVisible('expenses'),
    visible_in_journals: isVisible('journals'),
    visible_in_other_payments: isVisible('other_payments'),
    visible_in_other_receipts: isVisible('other_receipts'),
    visible_in_reporting: isVisible('reporting'),
    visible_in_sales: isVisible('sales'),
    is_control_account: plan.control !== null,
    ...(plan.control === null ? {} : { control_name: plan.control }),
    display_formatted: `${plan.code} ${plan.name}`,
    tax_recoverable: false,
    tax_instalment: false,
  }
}

/** Sage ids are 32 hexadecimal digits. */
export function toId(businessNumber: number, kind: string, index: number): string {
  return `${businessNumber.toString(16).padStart(8, '0')}180811e691e${kind}${index.toString(16).padStart(12, '0')}`
}

function toClassification(id: string): object {
  return { id, displayed_as: id.replaceAll('_', ' '), $path: `/ledger_account_classifications/${id}` }
}

function wordAfter(name: string, words: string): string | null {
  return new RegExp(`\\b${name}: ([A-Z0-9_]+)`).exec(words)?.[1] ?? null
}
