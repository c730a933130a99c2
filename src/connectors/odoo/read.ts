import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { debitLessCredit, isDay } from '../toolkit/values/raw-values.ts'
import { readRows } from './paging.ts'
import { LineWire, UserTypeWire } from './wire.ts'

const isLine = Compile(LineWire)
const isUserType = Compile(UserTypeWire)

type Row = { [field: string]: Json }

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const types = readTypes(answers)
  const companyCurrency = readRows(answers, 'company')[0]?.currency_id ?? false
  for (const row of readRows(answers, 'accounts')) {
    if (typeof row.id !== 'number') {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
      continue
    }
    const userType = Array.isArray(row.user_type_id) ? (types.get(row.user_type_id[0] ?? null) ?? null) : null
    yield { entity: 'Accounts', origId: String(row.id), wire: { ...row, userType, companyCurrency }, ...versionOf(row.write_date) }
  }
}

function readTypes(answers: Answers): Map<Json, UserTypeWire> {
  const types = new Map<Json, UserTypeWire>()
  if (!answers.types) return types
  for (const row of readRows(answers, 'types')) {
    if (!isUserType.Check(row)) throw new SourceError('badData', 'Odoo: an account type has an unknown shape')
    types.set(row.id, row)
  }
  return types
}

/** `2026-05-04 10:30:00`, which sorts as text; some versions add microseconds, which sort after it. */
function versionOf(stamp: Json | undefined): { version?: string } {
  return typeof stamp === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(stamp) ? { version: stamp } : {}
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const linesByMove = Map.groupBy(readRows(answers, 'lines'), moveIdOf)
  const seen = new Set<Json>()
  for (const move of readRows(answers, 'moves')) {
    const id = move.id ?? null
    if (seen.has(id)) continue
    seen.add(id)
    yield* readEntry(move, linesByMove.get(id) ?? [])
  }
  for (const [moveId, lines] of linesByMove) {
    if (!seen.has(moveId)) yield* lines.map((line) => setAside(line, 'its entry is not on the page'))
  }
}

function moveIdOf({ move_id: move }: Row): Json {
  return Array.isArray(move) ? (move[0] ?? null) : null
}

function* readEntry(move: Row, lines: Row[]): Iterable<SourceItem> {
  if (lines.length === 0) {
    // Under an id that no line has: after an item without an id, no record of the listing can be called missing.
    const origId = typeof move.id === 'number' ? `move/${move.id}` : null
    yield { entity: 'Transactions', origId, unreadable: 'an entry without a line that the user may see' }
    return
  }
  const reason = findFault(move, lines)
  for (const line of lines) {
    if (reason !== null) yield setAside(line, reason)
    // Sections, notes and lines of nothing move no money.
    else if (amountOf(line) !== '0') yield { entity: 'Transactions', origId: String(line.id), wire: { ...line, move } }
  }
}

/** Fault of an entry: debits and credits must balance exactly; a line hidden from the user is detected here. */
function findFault(move: Row, lines: readonly Row[]): string | null {
  if (!isDay(move.date)) return 'its entry has no possible day'
  const amounts = lines.map(amountOf)
  if (!amounts.every((amount) => amount !== null)) return 'an amount of its entry is no exact decimal'
  // A single line cannot be set aside: the rest of its entry would not balance.
  if (!lines.every((line) => amountOf(line) === '0' || isLine.Check({ ...line, move }))) return 'a line of its entry cannot be read'
  return add(...amounts) === '0' ? null : 'its entry does not balance'
}

function amountOf({ debit, credit }: Row): Decimal | null {
  return debitLessCredit(debit, credit)
}

function setAside(line: Row, reason: string): SourceItem {
  return { entity: 'Transactions', origId: typeof line.id === 'number' ? String(line.id) : null, unreadable: reason }
}
