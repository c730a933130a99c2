import type { Row } from '../../kit/data/edited-list.ts'
import { giantName } from '../../kit/data/giant-names.ts'
import type { Random } from '../../kit/random.ts'

/** Classification by the first digit of the account number. */
const CLASSIFICATIONS: Readonly<Record<string, string>> = {
  1: 'Asset',
  2: 'Liability',
  3: 'Equity',
  4: 'Income',
  5: 'CostOfSales',
  6: 'Expense',
  8: 'OtherIncome',
  9: 'OtherExpense',
}

const GIANT_KINDS = [
  ['1', 'Bank'],
  ['1', 'OtherCurrentAsset'],
  ['2', 'AccountsPayable'],
  ['2', 'CreditCard'],
  ['4', 'Income'],
  ['5', 'CostOfSales'],
  ['6', 'Expense'],
  ['9', 'OtherExpense'],
] as const

export interface ChartOptions {
  fileId: string
  /** Address of the company file, for links between records. */
  uri: string
  random: Random
}

/**
 * Accounts from lines `number | name | type | words`, each below the last header of a higher level. Words: `header`,
 * `inactive`, a currency, `about: …` (its description; the last word). Balances are drawn in cents from `random`.
 */
export function toAccounts(chart: string, options: ChartOptions): (readonly [id: string, row: Row])[] {
  let header: Row | null = null
  return chart
    .trim()
    .split('\n')
    .map((line, index) => {
      const [displayId = '', name = '', type = '', words = ''] = line.split('|').map((cell) => cell.trim())
      const isHeader = /\bheader\b/.test(words)
      const account = toAccount({
        ...options,
        index: index + 1,
        displayId,
        name,
        type,
        isHeader,
        isActive: !/\binactive\b/.test(words),
        currency: /\b[A-Z]{3}\b/.exec(words.replace(/about: .*/, ''))?.[0] ?? null,
        description: /about: (.*)/.exec(words)?.[1] ?? '',
        parent: isHeader ? null : header,
      })
      if (isHeader) header = account
      return [String(account.UID), account] as const
    })
}

export function toGiantChart(count: number, options: ChartOptions): (readonly [id: string, row: Row])[] {
  return Array.from({ length: count }, (_, index) => {
    const [digit, type] = GIANT_KINDS[index % GIANT_KINDS.length] ?? GIANT_KINDS[0]
    const number = String(index + 1).padStart(5, '0')
    const isActive = index % 97 !== 96
    const plan = {
      displayId: `${digit}-${number}`,
      name: giantName(index + 1),
      type,
      isHeader: false,
      isActive,
      currency: null,
      description: '',
    }
    const account = toAccount({ ...options, ...plan, index: index + 1, parent: null })
    return [String(account.UID), account] as const
  })
}

interface AccountPlan extends ChartOptions {
  index: number
  displayId: string
  name: string
  type: string
  isHeader: boolean
  isActive: boolean
  currency: string | null
  description: string
  parent: Row | null
}

function toAccount(plan: AccountPlan): Row {
  const UID = toUid(plan.fileId, 'acc', plan.index)
  const balance = plan.random.below(9_000_000) / 100
  return {
    UID,
    Name: plan.name,
    DisplayID: plan.displayId,
    Classification: CLASSIFICATIONS[plan.displayId.charAt(0)] ?? '',
    Type: plan.type,
    Number: Number(plan.displayId.slice(2)),
    Description: plan.description,
    IsActive: plan.isActive,
    TaxCode: null,
    ParentAccount: plan.parent === null ? null : linkTo(plan.parent),
    Level: plan.parent === null ? 1 : 2,
    OpeningBalance: 0,
    CurrentBalance: balance,
    BankingDetails: plan.type === 'Bank' ? { BSBNumber: '063-000', BankAccountNumber: 12_345_678, BankAccountName: plan.name } : null,
    IsHeader: plan.isHeader,
    LastReconciledDate: null,
    ForeignCurrency:
      plan.currency === null ? null : { UID: toUid(plan.fileId, 'cur', 1), Code: plan.currency, CurrencyName: plan.currency },
    URI: `${plan.uri}/GeneralLedger/Account/${UID}`,
    RowVersion: String(-5_548_997_690_873 + plan.index),
  }
}

export function linkTo({ UID, Name, DisplayID, URI }: Row): Row {
  return { UID, Name, DisplayID, URI }
}

/** Deterministic in the file, kind and number. */
export function toUid(fileId: string, kind: 'acc' | 'jrn' | 'src' | 'cur', index: number): string {
  const kinds = { acc: 'acc0', jrn: 'b0b0', src: 'c0c0', cur: 'd0d0' }
  return `${fileId.slice(0, 8)}-${kinds[kind]}-4000-8000-${index.toString(16).padStart(12, '0')}`
}
