import { giantName } from '../../kit/data/giant-names.ts'
import type { Currency } from './companies.ts'

/** A SuiteQL record; empty fields are null. */
export type Row = Record<string, string | null>

/**
 * Accounts from lines `number | name | type | special account | words`. `-` means no number; `>` before a name makes
 * it a sub-account of the last account without one. Words: `inactive`, `summary`, a currency, `about: …` (its
 * description; the last word).
 */
export function toAccounts(chart: string, currencies: readonly Currency[]): Row[] {
  let parent: Row | null = null
  const accounts: Row[] = []
  for (const [index, line] of chart.trim().split('\n').entries()) {
    const [number = '', title = '', type = '', special = '', words = ''] = line.split('|').map((cell) => cell.trim())
    const isChild = title.startsWith('> ')
    const symbol = /\b[A-Z]{3}\b/.exec(words.replace(/about: .*/, ''))?.[0]
    const account = toAccount({
      // NetSuite numbers accounts that it creates itself from 1, others from 100.
      id: String(special === '' ? 200 + index : 1 + index),
      number: number === '-' ? '' : number,
      name: title.replace(/^> /, ''),
      type,
      special,
      parent: isChild ? parent : null,
      isInactive: /\binactive\b/.test(words),
      isSummary: /\bsummary\b/.test(words),
      currency: currencies.find((each) => each.symbol === symbol)?.id ?? null,
      description: /about: (.*)/.exec(words)?.[1] ?? null,
    })
    if (!isChild) parent = account
    accounts.push(account)
  }
  return accounts
}

interface AccountPlan {
  id: string
  number: string
  name: string
  type: string
  special: string
  parent: Row | null
  isInactive: boolean
  isSummary: boolean
  currency: string | null
  description: string | null
}

function toAccount(plan: AccountPlan): Row {
  return {
    id: plan.id,
    acctnumber: plan.number === '' ? null : plan.number,
    accountsearchdisplayname: plan.number === '' ? plan.name : `${plan.number} ${plan.name}`,
    accountsearchdisplaynamecopy: plan.name,
    fullname: plan.parent ? `${plan.parent.fullname} : ${plan.name}` : plan.name,
    accttype: plan.type,
    sspecacct: plan.special === '' ? null : plan.special,
    parent: plan.parent?.id ?? null,
    currency: plan.currency,
    description: plan.description,
    isinactive: plan.isInactive ? 'T' : 'F',
    issummary: plan.isSummary ? 'T' : 'F',
    lastmodifieddate: '2026-05-04',
  }
}

const GIANT_TYPES = ['Bank', 'AcctRec', 'FixedAsset', 'AcctPay', 'CredCard', 'OthCurrLiab', 'Income', 'COGS', 'Expense', 'OthExpense']

/** Generates `count` accounts; every 97th is inactive. */
export function toGiantChart(count: number): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(6, '0')
    return toAccount({
      id: String(index + 1),
      number,
      name: giantName(index + 1),
      type: GIANT_TYPES[index % GIANT_TYPES.length] ?? 'Expense',
      special: '',
      parent: null,
      isInactive: index % 97 === 96,
      isSummary: false,
      currency: null,
      description: null,
    })
  })
}
