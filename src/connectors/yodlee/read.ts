import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { toTransactionId } from './map.ts'
import { idText } from './secret.ts'
import { AccountsAnswer, TransactionsAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { account = [] } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  for (const wire of account) {
    const origId = isJsonObject(wire) ? idText(wire.id) : null
    if (origId === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else yield { entity: 'Accounts', origId, wire: withoutNumbers(wire), numbers: numbersOf(wire) }
  }
}

/** Full numbers come to clients permitted to have them; the usual one is masked or full. */
function numbersOf(wire: unknown): string[] {
  return isJsonObject(wire) ? fullNumbers(wire.fullAccountNumber, wire.accountNumber) : []
}

/** Removes full account numbers, which Yodlee sends to clients permitted to have them; no record may contain one. */
function withoutNumbers(wire: unknown): unknown {
  if (!isJsonObject(wire)) return wire
  const { fullAccountNumber: _full, fullAccountNumberList: _list, ...rest }: { [key: string]: Json } = wire
  return rest
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const { transaction = [] } = checkEnvelope(TransactionsAnswer, answerJson(answers, 'transactions'), 'transactions')
  for (const wire of transaction) {
    const origId = idOf(wire)
    if (origId === null) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without an id and a container' }
    // Failed transaction: it never happened.
    else if (isJsonObject(wire) && wire.status === 'FAILED') yield { entity: 'Transactions', origId, removed: true }
    else yield { entity: 'Transactions', origId, wire }
  }
  if (!answers.gone) return
  const gone = answerJson(answers, 'gone')
  for (const origId of Array.isArray(gone) ? gone : [])
    if (typeof origId === 'string') yield { entity: 'Transactions', origId, removed: true }
}

export function idOf(row: unknown): string | null {
  const id = isJsonObject(row) ? idText(row.id) : null
  return id !== null && isJsonObject(row) && typeof row.CONTAINER === 'string' ? toTransactionId({ id, CONTAINER: row.CONTAINER }) : null
}
