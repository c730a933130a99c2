import type { Random } from '../../kit/random.ts'
import { type Row, toId } from './chart.ts'
import type { Routine } from './routine.ts'

/** One line to post; amounts in cents, possibly negative. */
export interface PlannedLine {
  account: Row
  text: string
  debitCents: number
  creditCents: number
}

export interface PlannedDocument {
  number: string
  type: string
  /** YYYY-MM-DD */
  day: string
  lines: readonly PlannedLine[]
}

/** Last month with entries: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/**
 * Documents of all routines for `months` months, then four edge cases: a correction posted as negative amounts, one
 * with a zero line, one with many lines, and one that does not balance.
 */
export function planDocuments(routines: readonly Routine[], months: number, accounts: readonly Row[], random: Random): PlannedDocument[] {
  const byNumber = new Map(accounts.map((account) => [account.number, account]))
  const find = (number: string) => {
    const account = byNumber.get(number)
    if (!account) throw new Error(`the chart lacks account ${number}`)
    return account
  }
  const documents: PlannedDocument[] = []
  for (let month = LAST_MONTH - months + 1; month <= LAST_MONTH; month++) {
    for (const routine of routines) documents.push(planRoutine(routine, month, 12_000 + random.below(2_000_000), find))
  }
  const [first] = routines
  const day = lastDayOf(LAST_MONTH)
  if (!first) return documents
  const [one, other] = first.lines.map(({ number }) => find(number))
  if (!one || !other) return documents
  const line = (account: Row, debitCents: number, creditCents: number) => ({ account, text: first.text, debitCents, creditCents })
  documents.push({ number: 'CORR-0001', type: '_x0020_', day, lines: [line(one, -5_025, 0), line(other, 0, -5_025)] })
  documents.push({ number: 'ZERO-0001', type: '_x0020_', day, lines: [line(one, 100, 0), line(one, 0, 0), line(other, 0, 100)] })
  const many = Array.from({ length: 40 }, () => line(one, 125, 0))
  documents.push({ number: 'LONG-0001', type: '_x0020_', day, lines: [...many, line(other, 0, 40 * 125)] })
  documents.push({ number: 'ODD-0001', type: '_x0020_', day, lines: [line(one, 9_000, 0), line(other, 0, 8_000)] })
  return documents
}

/** Ledger entries of documents, numbered from `firstNumber`. */
export function toEntries(documents: readonly PlannedDocument[], space: string, firstNumber: number): Row[] {
  const lines = documents.flatMap((document) => document.lines.map((line) => ({ document, line })))
  return lines.map(({ document, line }, index) => {
    const entryNumber = firstNumber + index
    return {
      id: toId(space, 'e', entryNumber),
      entryNumber,
      postingDate: document.day,
      documentNumber: document.number,
      documentType: document.type,
      accountId: line.account.id,
      accountNumber: line.account.number,
      description: line.text,
      debitAmount: line.debitCents / 100,
      creditAmount: line.creditCents / 100,
      additionalCurrencyDebitAmount: 0,
      additionalCurrencyCreditAmount: 0,
      lastModifiedDateTime: `${document.day}T17:05:11.58Z`,
    }
  })
}

function planRoutine(routine: Routine, month: number, cents: number, find: (number: string) => Row): PlannedDocument {
  const last = routine.lines.length - 1
  const first = routine.lines[0]
  // Lines on the same side as the first each carry part of the total, so the amounts balance for any sides.
  const sameSide = routine.lines.filter((line, index) => index > 0 && line.side === first?.side).length
  const otherSide = last - sameSide
  const share = Math.floor(cents / Math.max(1, otherSide))
  const fee = Math.floor(cents / 50)
  let left = cents
  const lines = routine.lines.map(({ number, side }, index): PlannedLine => {
    let amount = cents - sameSide * fee
    if (index > 0 && side === first?.side) amount = fee
    else if (index > 0) {
      amount = index === last ? left : share
      left -= amount
    }
    return {
      account: find(number),
      text: routine.text,
      debitCents: side === 'debit' ? amount : 0,
      creditCents: side === 'credit' ? amount : 0,
    }
  })
  const number = `${routine.document}-${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  return { number, type: routine.type, day: lastDayOf(month), lines }
}

function lastDayOf(month: number): string {
  return new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
}
