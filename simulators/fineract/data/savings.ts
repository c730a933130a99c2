import type { Day } from './day.ts'
import { accountNo, toCurrency, toStatus } from './loans.ts'

export interface Savings {
  id: number
  clientId: number
  kind: 'savings' | 'fixed' | 'recurring'
  product: string
  rate: number
  currency: string
  /** Number of transactions. */
  movements: number
  overdraft?: number
  maturity?: Day
  status: [id: number, word: string]
  subStatus?: string
  edits: Record<string, unknown>
  /** Numbers of reversed and of added transactions. */
  undone: number[]
  added: Record<string, unknown>[]
}

type Terms = Omit<Savings, 'status' | 'edits' | 'undone' | 'added'> & Partial<Pick<Savings, 'status'>>

export function openSavings(terms: Terms): Savings {
  return { status: [300, 'active'], ...terms, edits: {}, undone: [], added: [] }
}

const KINDS = {
  savings: { id: 100, code: 'savingsAccountDepositType.savingsDeposit', value: 'Savings' },
  fixed: { id: 200, code: 'savingsAccountDepositType.fixedDeposit', value: 'Fixed Deposit' },
  recurring: { id: 300, code: 'savingsAccountDepositType.recurringDeposit', value: 'Recurring Deposit' },
}

const START = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000
/** Later transactions have no balance, since each one is summed from the first. */
const MOST_BALANCES = 2000
const NOTES = ['Vente du marché', 'Farine Bio du Nord ltée', '', 'Loyer – rue Saint-Élie', 'Hydro-Québec', 'Card settlement', '']

/** A row in the client's overview. Source: ClientsApiResourceSwagger.GetClientsClientIdAccountsResponse */
export function savingsLine(savings: Savings) {
  return {
    id: savings.id,
    accountNo: accountNo(500 + savings.id),
    productName: savings.product,
    status: toStatus('savingsAccountStatusType', savings.status),
    currency: toCurrency(savings.currency),
    accountType: { id: 1, code: 'accountType.individual', value: 'Individual' },
    depositType: KINDS[savings.kind],
  }
}

/** GET /savingsaccounts/{id}, and the same for term deposits. */
export function savingsDetails(savings: Savings): Record<string, unknown> {
  const isTerm = savings.kind !== 'savings'
  const balance = balanceBefore(savings, savings.movements)
  const digits = savings.currency === 'KWD' ? 1000 : 100
  return {
    id: savings.id,
    accountNo: accountNo(500 + savings.id),
    depositType: KINDS[savings.kind],
    clientId: savings.clientId,
    [isTerm ? 'depositProductName' : 'savingsProductName']: savings.product,
    status: toStatus('savingsAccountStatusType', savings.status),
    subStatus: savings.subStatus
      ? { id: 200, code: `SavingsAccountSubStatusEnum.${savings.subStatus}`, value: savings.subStatus }
      : { id: 0, code: 'SavingsAccountSubStatusEnum.none', value: 'None' },
    currency: toCurrency(savings.currency),
    nominalAnnualInterestRate: savings.rate,
    allowOverdraft: savings.overdraft !== undefined,
    ...(savings.overdraft === undefined ? {} : { overdraftLimit: savings.overdraft }),
    ...(isTerm ? { maturityDate: savings.maturity, maturityAmount: Math.round(balance * (1 + savings.rate / 100) * digits) / digits } : {}),
    summary: { currency: toCurrency(savings.currency), accountBalance: balance, availableBalance: balance },
    ...savings.edits,
  }
}

/** Transaction number `n` of an account, counted from 1. */
function movement(savings: Savings, n: number): Record<string, unknown> {
  const type = typeOf(savings, n)
  const date = new Date(START + Math.floor((n * 170) / Math.max(savings.movements, 170)) * DAY_MS)
  const day: Day = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  const note = NOTES[n % NOTES.length]
  return {
    id: savings.id * 1_000_000 + n,
    transactionType: { id: type.id, code: `savingsAccountTransactionType.${type.word}`, value: type.word },
    entryType: type.sign > 0 ? 'CREDIT' : 'DEBIT',
    accountId: savings.id,
    accountNo: accountNo(500 + savings.id),
    date: day,
    submittedOnDate: day,
    currency: toCurrency(savings.currency),
    amount: amountOf(savings, n),
    ...(n <= MOST_BALANCES ? { runningBalance: balanceBefore(savings, n) } : {}),
    reversed: savings.undone.includes(n),
    ...(note ? { note } : {}),
  }
}

export function listMovements(savings: Savings, from = 0, to = Number.POSITIVE_INFINITY): Record<string, unknown>[] {
  const last = Math.min(to, savings.movements)
  const own = Array.from({ length: Math.max(0, last - from) }, (_, index) => movement(savings, from + index + 1))
  return to > savings.movements ? [...own, ...savings.added.slice(Math.max(0, from - savings.movements), to - savings.movements)] : own
}

export function countMovements(savings: Savings): number {
  return savings.movements + savings.added.length
}

function typeOf(savings: Savings, n: number) {
  if (n === 1 || savings.kind !== 'savings') return { id: 1, word: 'deposit', sign: 1 }
  if (n % 23 === 0) return { id: 3, word: 'interestPosting', sign: 1 }
  if (n % 19 === 0) return { id: 20, word: 'amountHold', sign: -1 }
  if (n % 11 === 0) return { id: 7, word: 'payCharge', sign: -1 }
  return n % 3 === 0 ? { id: 2, word: 'withdrawal', sign: -1 } : { id: 1, word: 'deposit', sign: 1 }
}

function amountOf(savings: Savings, n: number): number {
  if (n === 1) return savings.currency === 'KWD' ? 1200.125 : 2500
  return savings.currency === 'KWD' ? 10.005 * n : Math.round((17.25 + ((n * 7919) % 9000) / 100) * 100) / 100
}

function balanceBefore(savings: Savings, n: number): number {
  let thousandths = 0
  for (let i = 1; i <= Math.min(n, MOST_BALANCES); i++) {
    const { word, sign } = typeOf(savings, i)
    if (word !== 'amountHold' && !savings.undone.includes(i)) thousandths += sign * Math.round(amountOf(savings, i) * 1000)
  }
  return thousandths / 1000
}
