import type { Random } from '../../kit/random.ts'

/** An account as the API returns it. */
export type Row = { uuid: string; [property: string]: unknown }

export interface SubType {
  id: number
  type: string
  name: string
  base_number: string
}

/**
 * Answer of GET /accounting/ledger_accounts/sub_types. Source: https://github.com/InfiniteRoomLabs/freshbooks-tools
 * (recorded 2026-09-03)
 */
export const SUB_TYPES: readonly SubType[] = [
  { id: 1, type: 'asset', name: 'Cash & Bank', base_number: '1000' },
  { id: 2, type: 'asset', name: 'Current Asset', base_number: '1200' },
  { id: 3, type: 'asset', name: 'Property, Plant, and Equipment', base_number: '1500' },
  { id: 4, type: 'asset', name: 'Long-Term Asset', base_number: '1300' },
  { id: 5, type: 'liability', name: 'Current Liability', base_number: '2000' },
  { id: 6, type: 'liability', name: 'Long-Term Liability', base_number: '2500' },
  { id: 7, type: 'equity', name: 'Equity', base_number: '3000' },
  { id: 8, type: 'income', name: 'Income', base_number: '4000' },
  { id: 9, type: 'expense', name: 'Cost of Goods Sold', base_number: '5000' },
  { id: 10, type: 'expense', name: 'Operating Expense', base_number: '6000' },
]

/**
 * Accounts from lines `number | name | sub type | words`. `>` before a name makes it a sub-account of the last account
 * without one. Words: `archived`, `type: …` (if the sub type is not one of the ten), `system` or `system: …` (created
 * by FreshBooks; the role, by default its name), `about: …` (its description; the last word).
 */
export function toAccounts(chart: string, businessNumber: number, random: Random): Row[] {
  let parent: Row | null = null
  const accounts: Row[] = []
  for (const line of chart.trim().split('\n')) {
    const [number = '', title = '', subType = '', words = ''] = line.split('|').map((cell) => cell.trim())
    const isChild = title.startsWith('> ')
    const name = title.replace(/^> /, '')
    const [, about = ''] = /about: (.*)/.exec(words) ?? []
    const role = /\bsystem(?:: ([A-Z][\w&' ]+))?/.exec(words.replace(/about: .*/, ''))
    const account = toAccount({
      businessNumber,
      index: accounts.length + 1,
      number,
      name,
      subType,
      type: /\btype: (\w+)/.exec(words)?.[1] ?? null,
      role: role ? (role[1]?.trim() ?? name) : null,
      parent: isChild ? parent : null,
      state: /\barchived\b/.test(words) ? 'archived' : 'active',
      about,
      random,
    })
    if (!isChild) parent = account
    accounts.push(account)
  }
  return accounts
}

interface AccountPlan {
  businessNumber: number
  /** Counted from 1. */
  index: number
  number: string
  name: string
  subType: string
  type: string | null
  role: string | null
  parent: Row | null
  state: string
  about: string
  random: Random
}

export function toAccount(plan: AccountPlan): Row {
  const type = plan.type ?? SUB_TYPES.find(({ name }) => name === plan.subType)?.type
  if (type === undefined) throw new Error(`no type for sub type "${plan.subType}"`)
  const uuid = toUuid(plan.businessNumber, plan.index)
  if (plan.parent && Array.isArray(plan.parent.sub_accounts)) plan.parent.sub_accounts.push(uuid)
  const day = String(1 + plan.random.below(28)).padStart(2, '0')
  const legacyId = plan.businessNumber * 1_000_000 + plan.index
  return {
    uuid,
    name: plan.name,
    number: plan.number,
    description: plan.about,
    type,
    sub_type: plan.subType,
    ...(plan.role === null ? {} : { system_account_name: plan.role }),
    parent_account: plan.parent?.uuid ?? null,
    sub_accounts: [],
    auto_created: plan.role !== null,
    state: plan.state,
    updated_at: `2026-0${1 + plan.random.below(6)}-${day}T15:${10 + plan.random.below(50)}:30.${String(plan.random.below(1_000_000)).padStart(6, '0')}Z`,
    category_id: null,
    jea_id: plan.parent ? null : legacyId,
    jesa_id: plan.parent ? legacyId : null,
  }
}

function toUuid(businessNumber: number, index: number): string {
  return `${businessNumber.toString(16).padStart(8, '0')}-0000-4000-9000-${index.toString(16).padStart(12, '0')}`
}
