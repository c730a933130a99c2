import type { Row } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { Random } from '../../kit/random.ts'
import type { Organization } from './companies.ts'

const GIANT_TYPES = [
  'bank',
  'accounts_receivable',
  'stock',
  'fixed_asset',
  'credit_card',
  'other_current_liability',
  'equity',
  'income',
  'cost_of_goods_sold',
  'expense',
] as const

/**
 * Accounts from lines `code | name | account_type | words`. `-` means no code; `>` before a name makes it a child of
 * the last account without one. Words: `inactive`, `system`, `about: …` (the description; the last word).
 */
export function toAccounts(chart: string, organization: Organization, random: Random): Row[] {
  const accounts: Row[] = []
  let parent: Row | null = null
  for (const line of chart.trim().split('\n')) {
    const [code = '', title = '', type = '', words = ''] = line.split('|').map((cell) => cell.trim())
    const isChild = title.startsWith('> ')
    const account = toAccount({
      id: toId(organization, accounts.length + 361),
      code: code === '-' ? '' : code,
      name: title.replace(/^> /, ''),
      type,
      parent: isChild ? parent : null,
      isActive: !/\binactive\b/.test(words.replace(/about: .*/, '')),
      isSystem: /\bsystem\b/.test(words.replace(/about: .*/, '')),
      description: /about: (.*)/.exec(words)?.[1] ?? '',
      offset: organization.offset,
      random,
    })
    if (!isChild) parent = account
    else if (parent) Object.assign(parent, { is_child_present: true, child_count: String(Number(parent.child_count || '0') + 1) })
    accounts.push(account)
  }
  return accounts
}

export function toGiantChart(count: number, organization: Organization, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const code = String(index + 1).padStart(5, '0')
    const next = GIANT_TYPES[index % GIANT_TYPES.length] ?? GIANT_TYPES[0]
    // A real organization does not have thousands of banks.
    const type = index >= 200 && (next === 'bank' || next === 'credit_card') ? 'expense' : next
    const plain = { parent: null, isSystem: false, description: '', offset: organization.offset, random }
    return toAccount({ id: toId(organization, index + 361), code, name: giantName(index + 1), type, isActive: index % 97 !== 96, ...plain })
  })
}

interface AccountPlan {
  id: string
  code: string
  name: string
  type: string
  parent: Row | null
  isActive: boolean
  isSystem: boolean
  description: string
  offset: string
  random: Random
}

/** Missing values are empty strings, as at Zoho. */
function toAccount(plan: AccountPlan): Row {
  const day = String(1 + plan.random.below(28)).padStart(2, '0')
  const time = `${String(9 + plan.random.below(9)).padStart(2, '0')}:${10 + plan.random.below(50)}:${10 + plan.random.below(50)}`
  return {
    account_id: plan.id,
    account_name: plan.name,
    account_code: plan.code,
    account_type: plan.type,
    description: plan.description,
    is_user_created: !plan.isSystem,
    is_system_account: plan.isSystem,
    is_standalone_account: false,
    is_active: plan.isActive,
    can_show_in_ze: false,
    is_involved_in_transaction: true,
    current_balance: plan.random.below(9_000_000) / 100,
    parent_account_id: plan.parent?.account_id ?? '',
    parent_account_name: plan.parent?.account_name ?? '',
    depth: plan.parent ? '1' : '0',
    has_attachment: false,
    is_child_present: false,
    child_count: '',
    documents: [],
    created_time: `2024-0${1 + plan.random.below(6)}-${day}T${time}${plan.offset}`,
    last_modified_time: `2026-0${1 + plan.random.below(6)}-${day}T${time}${plan.offset}`,
  }
}

/** 18 digits, deterministic in the organization and position. */
export function toId(organization: Organization, place: number): string {
  return `${organization.id.slice(-6)}${String(place).padStart(12, '0')}`
}

/** Local time of the organization in Zoho's format: no colon in the offset. */
export function toLocalTime(instant: Date, offset: string): string {
  const hours = Number(offset.slice(0, 3))
  return `${new Date(instant.getTime() + hours * 3_600_000).toISOString().slice(0, 19)}${offset}`
}
