import { Compile } from 'typebox/compile'
import { add, type Decimal } from '../../model/values/decimal.ts'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject, objectsInSlices, objectsOf } from '../toolkit/http/answers.ts'
import { debitLessCredit } from '../toolkit/values/raw-values.ts'
import { toGroups } from './groups.ts'
import { LineWire, type Row, TrytonDecimal, TypeWire } from './wire.ts'

const isLine = Compile(LineWire)
const isType = Compile(TypeWire)
const isDecimal = Compile(TrytonDecimal)

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const types = readTypes(answers)
  const balances = readBalances(answers)
  const groups = answers.groups ? toGroups(readRows(resultOf(answers, 'groups'), 'account groups')) : new Map<Json, string[]>()
  for (const row of readRows(resultOf(answers, 'accounts'), 'accounts')) {
    const id = row.id
    if (typeof id !== 'number') {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
      continue
    }
    const above = groups.get(id)
    const wire = { ...row, typePath: toTypePath(types, countingType(row, balances.get(id))), ...(above && { groups: above }) }
    yield { entity: 'Accounts', origId: String(id), wire }
  }
}

function readTypes(answers: Answers): Map<number, TypeWire> {
  const types = new Map<number, TypeWire>()
  for (const row of readRows(resultOf(answers, 'types'), 'account types')) {
    if (!isType.Check(row)) throw new SourceError('badData', 'Tryton: an account type has an unknown shape')
    types.set(row.id, row)
  }
  return types
}

function readRows(result: Json, what: string): Row[] {
  return objectsOf(result, noList(what))
}

/** Records of a result, looked at in slices. */
export async function toRows(result: Json, what: string): Promise<Row[]> {
  return await objectsInSlices(result, noList(what))
}

function noList(what: string): string {
  return `Tryton: the ${what} are no list of records`
}

/** Result of a stored response; `badData` when it holds none. */
function resultOf(answers: Answers, name: string): Json {
  const answer = answerJson(answers, name)
  if (!isJsonObject(answer) || answer.result === undefined)
    throw new SourceError('badData', `Tryton: the stored answer "${name}" has no result`)
  return answer.result
}

function readBalances(answers: Answers): Map<Json, string> {
  if (!answers.balances) return new Map()
  const rows = readRows(resultOf(answers, 'balances'), 'balances')
  return new Map(rows.flatMap(({ id, balance }) => (isDecimal.Check(balance) ? [[id ?? null, balance.decimal] as const] : [])))
}

function toTypePath(types: ReadonlyMap<number, TypeWire>, start: Json): TypeWire[] {
  const path: TypeWire[] = []
  for (let id = start; typeof id === 'number'; ) {
    const type = types.get(id)
    if (type === undefined || path.includes(type)) break
    path.push(type)
    id = type.parent
  }
  return path
}

/**
 * Type by balance: an account may have another type while its balance is debit, or credit (an overdrawn bank account is
 * a debt).
 */
function countingType(row: { [key: string]: Json }, balance: string | undefined): Json {
  const isCredit = balance?.startsWith('-') ?? false
  const isDebit = balance !== undefined && !isCredit && /[1-9]/.test(balance)
  const other = isDebit ? row.debit_type : isCredit ? row.credit_type : null
  return other ?? row.type ?? null
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const moves = new Map(readRows(resultOf(answers, 'moves'), 'entries').map((row) => [row.id, row]))
  const linesByMove = Map.groupBy(readRows(resultOf(answers, 'lines'), 'lines'), (line) => line.move)
  for (const [moveId, lines] of linesByMove) {
    const move = moves.get(moveId)
    const reason = move === undefined ? 'its entry is not on the page' : findFault(move, lines)
    for (const line of lines) {
      const origId = typeof line.id === 'number' ? String(line.id) : null
      if (reason !== null) yield { entity: 'Transactions', origId, unreadable: reason }
      else if (origId !== null && !isZero(line)) yield { entity: 'Transactions', origId, wire: { ...line, move } }
    }
  }
}

/** Fault of an entry: debits and credits must balance exactly; a line hidden from the user is detected here. */
function findFault(move: { [key: string]: Json }, lines: { [key: string]: Json }[]): string | null {
  const amounts = lines.map(amountOf)
  if (!amounts.every((amount) => amount !== null)) return 'an amount of its entry is no exact decimal'
  // A single line cannot be set aside: the rest of its entry would not balance.
  if (!lines.every((line) => isZero(line) || isLine.Check({ ...line, move }))) return 'a line of its entry cannot be read'
  return add(...amounts) === '0' ? null : 'its entry does not balance'
}

function amountOf({ debit, credit }: { [key: string]: Json }): Decimal | null {
  if (!isDecimal.Check(debit) || !isDecimal.Check(credit)) return null
  return debitLessCredit(debit.decimal, credit.decimal)
}

function isZero(line: { [key: string]: Json }): boolean {
  return amountOf(line) === '0'
}
