import { giantName } from '../../kit/data/giant-names.ts'

/** A record of a company as the API returns it. */
export type Row = { id: string; [property: string]: unknown }

const KINDS: Readonly<Record<string, string>> = {
  P: 'Posting',
  H: 'Heading',
  T: 'Total',
  B: 'Begin_x002D_Total',
  E: 'End_x002D_Total',
}

/**
 * Accounts from lines `number | name | kind | category | subcategory | words`. Kinds: P posting, H heading, T total, B
 * and E begin and end of a total. Words: `blocked`, `closed` (no direct posting). `space` is two hexadecimal digits
 * that prefix the ids of one company.
 */
export function toAccounts(chart: string, space: string): Row[] {
  return chart
    .trim()
    .split('\n')
    .map((line, index) => {
      const [number = '', name = '', kind = '', category = '', subCategory = '', words = ''] = line.split('|').map((cell) => cell.trim())
      return toAccount({
        id: toId(space, 'a', index + 1),
        number,
        name,
        kind,
        category,
        subCategory,
        isBlocked: /\bblocked\b/.test(words),
        isOpen: !/\bclosed\b/.test(words),
        changedOn: `2026-0${1 + (index % 6)}-1${index % 10}T08:${10 + (index % 50)}:24.327Z`,
      })
    })
}

interface AccountPlan {
  id: string
  number: string
  name: string
  kind: string
  category: string
  subCategory: string
  isBlocked: boolean
  isOpen: boolean
  changedOn: string
}

/** Enum values are encoded as XML names. */
function toAccount(plan: AccountPlan): Row {
  const accountType = KINDS[plan.kind]
  if (accountType === undefined) throw new Error(`no kind "${plan.kind}" for account ${plan.number}`)
  return {
    id: plan.id,
    number: plan.number,
    displayName: plan.name,
    category: plan.category === '' ? '_x0020_' : plan.category.replaceAll(' ', '_x0020_'),
    subCategory: plan.subCategory,
    blocked: plan.isBlocked,
    accountType,
    directPosting: plan.kind === 'P' && plan.isOpen,
    netChange: 0,
    consolidationTranslationMethod: 'Average_x0020_Rate_x0020__x0028_Manual_x0029_',
    consolidationDebitAccount: '',
    consolidationCreditAccount: '',
    excludeFromConsolidation: false,
    lastModifiedDateTime: plan.changedOn,
  }
}

const GIANT_KINDS = [
  ['Assets', 'Cash'],
  ['Assets', 'Accounts Receivable'],
  ['Assets', 'Equipment'],
  ['Liabilities', 'Current Liabilities'],
  ['Liabilities', 'Payroll Liabilities'],
  ['Equity', 'Retained Earnings'],
  ['Income', 'Income, Services'],
  ['Cost of Goods Sold', 'Materials'],
  ['Expense', 'Rent Expense'],
  ['Expense', 'Other Income & Expenses'],
] as const

/** Generates `count` accounts; every 97th is blocked. */
export function toGiantChart(count: number, space: string): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const [category, subCategory] = GIANT_KINDS[index % GIANT_KINDS.length] ?? GIANT_KINDS[0]
    const number = String(index + 1).padStart(6, '0')
    return toAccount({
      id: toId(space, 'a', index + 1),
      number,
      name: giantName(index + 1),
      kind: 'P',
      category,
      subCategory,
      isBlocked: index % 97 === 96,
      isOpen: true,
      changedOn: '2026-03-02T08:00:00.127Z',
    })
  })
}

/** A GUID that encodes its owner: the company's space, `a` for an account or `e` for a ledger entry, and a number. */
export function toId(space: string, kind: 'a' | 'e', number: number): string {
  return `${space}${kind}00000-7c14-4e11-8f6e-${String(number).padStart(12, '0')}`
}
