import type { Random } from '../../kit/random.ts'
import type { Row } from './chart.ts'
import type { Routine } from './routine.ts'

export interface PlannedLine {
  accountId: string
  debitCents: number
  creditCents: number
}

/** A transaction to write; amounts in cents. */
export interface PlannedTransaction {
  type: string
  number: string
  /** YYYY-MM-DD */
  day: string
  memo: string
  entity: string | null
  subsidiary: string | null
  isPosting: boolean
  lines: readonly PlannedLine[]
}

/** Records that SuiteQL finds for one transaction. */
export interface Posted {
  transaction: Row
  lines: Row[]
  accountingLines: Row[]
}

/** Last month with transactions: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/** Every transaction is in the primary book; this many also have lines in a second book. */
const IN_SECOND_BOOK = 10

/**
 * Transactions of all routines for `months` months, then five edge cases: a non-posting order, one with a zero line,
 * one with a negative debit, one with a long text, and one that does not balance.
 */
export function planTransactions(
  routines: readonly Routine[],
  months: number,
  accounts: readonly Row[],
  random: Random,
): PlannedTransaction[] {
  const ids = new Map(accounts.map((account) => [account.accountsearchdisplaynamecopy, account.id]))
  const find = (name: string) => {
    const id = ids.get(name)
    if (!id) throw new Error(`the chart lacks "${name}"`)
    return id
  }
  const plans: PlannedTransaction[] = []
  for (let month = LAST_MONTH - months + 1; month <= LAST_MONTH; month++) {
    for (const routine of routines) plans.push(planRoutine(routine, month, 12_000 + random.below(2_000_000), find))
  }
  const [routine] = routines
  if (!routine) return plans
  const base = { ...planRoutine(routine, LAST_MONTH, 5_000, find), type: 'Journal', entity: null }
  const [one = '', other = ''] = routine.lines.map(({ account }) => find(account))
  const line = (accountId: string, debitCents: number, creditCents: number) => ({ accountId, debitCents, creditCents })
  return [
    ...plans,
    { ...base, type: 'SalesOrd', number: 'SO-1', isPosting: false },
    { ...base, number: 'ZERO-1', lines: [line(one, 700, 0), line(one, 0, 0), line(other, 0, 700)] },
    { ...base, number: 'NEG-1', lines: [line(one, -900, 0), line(other, 900, 0)] },
    { ...base, number: 'LONG-1', memo: 'x'.repeat(3_000) },
    { ...base, number: 'ODD-1', lines: [line(one, 9_000, 0), line(other, 0, 8_000)] },
  ]
}

/** A transaction and its lines in SuiteQL format, with the given id. */
export function toPosted(plan: PlannedTransaction, id: number): Posted {
  const transaction = {
    id: String(id),
    trandate: plan.day,
    tranid: plan.number,
    type: plan.type,
    entity: plan.entity,
    memo: plan.memo === '' ? null : plan.memo,
    posting: plan.isPosting ? 'T' : 'F',
    lastmodifieddate: plan.day,
  }
  const books = id <= IN_SECOND_BOOK ? ['1', '2'] : ['1']
  return {
    transaction,
    lines: plan.lines.map((_, index) => ({
      transaction: String(id),
      id: String(index),
      subsidiary: plan.subsidiary,
      memo: index === 0 || plan.memo === '' ? null : `${plan.memo} (${index})`,
    })),
    accountingLines: plan.lines.flatMap((line, index) =>
      books.map((book) => ({
        transaction: String(id),
        transactionline: String(index),
        accountingbook: book,
        account: line.accountId,
        debit: line.creditCents === 0 ? toAmount(line.debitCents) : null,
        credit: line.creditCents === 0 ? null : toAmount(line.creditCents),
        amount: toAmount(line.debitCents - line.creditCents),
        posting: plan.isPosting ? 'T' : 'F',
      })),
    ),
  }
}

/** Without trailing or leading zeros: `.5`, `-12.34`, `7`. */
function toAmount(cents: number): string {
  const text = String(cents / 100)
  return text.replace(/^(-?)0\./, '$1.')
}

function planRoutine(routine: Routine, month: number, cents: number, find: (name: string) => string): PlannedTransaction {
  const last = routine.lines.length - 1
  const share = Math.floor(cents / last)
  const lines = routine.lines.map(({ account, side }, index) => {
    const amount = index === 0 ? cents : index === last ? cents - share * (last - 1) : share
    return { accountId: find(account), debitCents: side === 'debit' ? amount : 0, creditCents: side === 'credit' ? amount : 0 }
  })
  return {
    type: routine.type,
    number: `${routine.prefix}-${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`,
    day: new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10),
    memo: routine.memo,
    entity: routine.entity,
    subsidiary: routine.subsidiary,
    isPosting: true,
    lines,
  }
}
