import type { Random } from '../../kit/random.ts'

/** A document as Frappe returns it; its name is its id. */
export type Row = { name: string; [field: string]: unknown }

/**
 * Accounts from lines `number | name | account_type | words`, each a child of the last line with one `>` less. `-`
 * means no number, `.` no type. A line without `>` is a root and has its `root_type` as a word. Words: `group`,
 * `disabled`, a currency in brackets.
 */
export function toAccounts(chart: string, company: { name: string; abbr: string; currency: string }, random: Random): Row[] {
  const accounts: Row[] = []
  const path: Row[] = []
  for (const line of chart.trim().split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0
    const [number = '', title = '', type = '', words = ''] = line
      .slice(depth)
      .split('|')
      .map((cell) => cell.trim())
    const parent = depth === 0 ? null : (path[depth - 1] ?? null)
    const account = toAccount({
      company,
      number: number === '-' ? '' : number,
      title,
      type: type === '.' ? '' : type,
      rootType: parent === null ? (/\b(Asset|Liability|Equity|Income|Expense)\b/.exec(words)?.[0] ?? '') : String(parent.root_type),
      parent: parent === null ? null : parent.name,
      isGroup: parent === null || /\bgroup\b/.test(words),
      isDisabled: /\bdisabled\b/.test(words),
      currency: /\[(.+)\]/.exec(words)?.[1] ?? company.currency,
      left: accounts.length * 2 + 1,
      random,
    })
    path[depth] = account
    accounts.push(account)
  }
  return accounts
}

interface AccountPlan {
  company: { name: string; abbr: string }
  number: string
  title: string
  type: string
  rootType: string
  parent: string | null
  isGroup: boolean
  isDisabled: boolean
  currency: string
  /** Nested-set position in the tree. */
  left: number
  random: Random
}

export function toAccount(plan: AccountPlan): Row {
  const day = String(1 + plan.random.below(28)).padStart(2, '0')
  const modified = `2026-0${1 + plan.random.below(6)}-${day} 15:${10 + plan.random.below(50)}:30.${100_000 + plan.random.below(899_999)}`
  return {
    name: [...(plan.number === '' ? [] : [plan.number]), plan.title, plan.company.abbr].join(' - '),
    account_name: plan.title,
    account_number: plan.number === '' ? null : plan.number,
    company: plan.company.name,
    root_type: plan.rootType,
    report_type: /Income|Expense/.test(plan.rootType) ? 'Profit and Loss' : 'Balance Sheet',
    account_type: plan.type,
    parent_account: plan.parent,
    is_group: plan.isGroup ? 1 : 0,
    account_currency: plan.isGroup ? null : plan.currency,
    disabled: plan.isDisabled ? 1 : 0,
    freeze_account: 'No',
    balance_must_be: '',
    lft: plan.left,
    creation: '2022-01-04 09:12:45.000000',
    modified,
  }
}
