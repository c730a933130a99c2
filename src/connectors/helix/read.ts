import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { openEnvelope } from './request.ts'
import { isMovement } from './type-table.ts'
import { ListData, ProgramData } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { name } = openEnvelope(answerJson(answers, 'program'), ProgramData, 'the program')
  const seen = new Set<string>()
  for (const row of openEnvelope(answerJson(answers, 'accounts'), ListData, 'the accounts')) {
    const id = accountIdOf(row)
    if (id === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an accountId' }
    else if (!seen.has(id)) {
      seen.add(id)
      yield { entity: 'Accounts', origId: id, wire: { program: name ?? '', account: withoutNumbers(row) }, numbers: numbersOf(row) }
    }
  }
}

export function accountIdOf(row: unknown): string | null {
  const id = isJsonObject(row) ? row.accountId : null
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : null
}

function numbersOf(row: unknown): string[] {
  return isJsonObject(row) ? fullNumbers(row.accountNumber) : []
}

/** Removes the full account number, which no record may contain. */
function withoutNumbers(row: unknown): Json {
  if (!isJsonObject(row)) return null
  const { accountNumber: _number, routingNumber: _routing, ...rest } = row
  return rest
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  for (const name of Object.keys(answers)) {
    const [, account] = /^(\d+)@\d+$/.exec(name) ?? []
    if (account === undefined) continue
    for (const row of openEnvelope(answerJson(answers, name), ListData, 'the movements')) yield* toItem(row, account)
  }
}

function* toItem(row: unknown, listedOf: string): Iterable<SourceItem> {
  const id = idOf(row)
  if (id === null || !isJsonObject(row)) yield { entity: 'Transactions', origId: null, unreadable: 'a movement without a transactionId' }
  // Voided before settlement: no money moved.
  else if (isMovement(row)) yield { entity: 'Transactions', origId: id, wire: { account: accountIdOf(row) ?? listedOf, row } }
}

export function idOf(row: unknown): string | null {
  const id = isJsonObject(row) ? row.transactionId : null
  return typeof id === 'number' || (typeof id === 'string' && id !== '') ? String(id) : null
}
