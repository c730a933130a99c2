import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { parseDay } from '../../model/values/timestamps.ts'
import { property } from '../toolkit/http/answers.ts'
import { toAmount } from './map.ts'
import { LedgerLine } from './wire.ts'

const isLine = Compile(LedgerLine)

/** Lines that were posted together. */
export interface Entry {
  /** Entry numbers of the first and the last line. */
  first: number
  last: number
  lines: LedgerLine[]
  /** Reason why the entry is invalid; null when it is valid. */
  fault: string | null
}

export interface Grouping {
  entries: Entry[]
  /** Last entry of the rows while it does not balance: more rows may complete it. */
  open: Entry | null
}

/**
 * Rows by entry number, in that order, without duplicates, and only those after `after`. A row without a number is left
 * out here and counted by `countStrays`.
 */
export function orderRows(rows: readonly Json[], after: number): { entryNumber: number; row: Json }[] {
  const numbered = new Map<number, Json>()
  for (const row of rows) {
    const entryNumber = entryNumberOf(row)
    if (entryNumber !== null && entryNumber > after && !numbered.has(entryNumber)) numbered.set(entryNumber, row)
  }
  return [...numbered].map(([entryNumber, row]) => ({ entryNumber, row })).sort((a, b) => a.entryNumber - b.entryNumber)
}

export function countStrays(rows: readonly Json[]): number {
  return rows.filter((row) => entryNumberOf(row) === null).length
}

/**
 * Groups ledger lines into entries. The API does not say which lines were posted together: consecutive lines with one
 * document and one date are, up to the line with which they balance. An entry is therefore the same wherever reading
 * begins and ends.
 */
export function groupLines(rows: readonly { entryNumber: number; row: Json }[]): Grouping {
  const entries: Entry[] = []
  let open: Entry | null = null
  let key = ''
  let balance: Decimal | null = null
  for (const { entryNumber, row } of rows) {
    const rowKey = keyOf(row)
    if (open !== null && rowKey !== key) {
      entries.push({ ...open, fault: open.fault ?? 'an entry whose debits and credits differ' })
      open = null
    }
    key = rowKey
    const entry: Entry = open ?? { first: entryNumber, last: entryNumber, lines: [], fault: null }
    balance = open === null ? ZERO : balance
    entry.last = entryNumber
    const line = readLine(row)
    if (typeof line === 'string') {
      entry.fault = line
      balance = null
    } else {
      entry.lines.push(line.line)
      balance = balance === null ? null : add(balance, line.amount)
    }
    open = entry
    if (balance === '0') {
      entries.push(entry)
      open = null
    }
  }
  return { entries, open }
}

const ZERO: Decimal = add()

function readLine(row: Json): { line: LedgerLine; amount: Decimal } | string {
  if (!isLine.Check(row)) return 'an entry with a line that cannot be read'
  try {
    parseDay(row.postingDate)
    return { line: row, amount: toAmount(row) }
  } catch (error) {
    if (error instanceof RangeError) return 'an entry with an impossible date or amount'
    throw error
  }
}

function keyOf(row: Json): string {
  return JSON.stringify([property(row, 'postingDate') ?? null, property(row, 'documentNumber') ?? null])
}

function entryNumberOf(row: Json): number | null {
  const entryNumber = property(row, 'entryNumber')
  return Number.isSafeInteger(entryNumber) ? Number(entryNumber) : null
}
