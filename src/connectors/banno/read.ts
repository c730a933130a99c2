import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson } from '../toolkit/http/answers.ts'
import { AccountsWire, TransactionsWire } from './wire.ts'

const isAccounts = Compile(AccountsWire)
const isTransactions = Compile(TransactionsWire)

export function* readAccounts(answers: Answers): Generator<SourceItem> {
  for (const wire of accountsOf(answerJson(answers, 'accounts'))) {
    const id = typeof wire === 'object' && wire !== null && 'id' in wire ? wire.id : null
    if (typeof id === 'string' && id !== '') yield { entity: 'Accounts', origId: id, wire }
    else yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
  }
}

export function accountsOf(body: Json): unknown[] {
  if (!isAccounts.Check(body)) throw new SourceError('badData', 'Banno answered no list of accounts')
  return body.accounts
}

export function* readTransactions(answers: Answers): Generator<SourceItem> {
  const body = answerJson(answers, 'transactions')
  const account = answerJson(answers, 'account')
  // A pending transaction that is booked under another id is listed as inactivated. Removals come first: an id may
  // become active again.
  for (const id of removedIn(body)) yield { entity: 'Transactions', origId: id, removed: true }
  for (const transaction of rowsOf(body)) {
    const id = idOf(transaction)
    if (id === null) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without an id' }
    else yield { entity: 'Transactions', origId: id, wire: { transaction, account } }
  }
}

function removedIn(body: Json): string[] {
  return isTransactions.Check(body) ? (body.inactivatedTransactionIds ?? []) : []
}

export function rowsOf(body: Json): unknown[] {
  if (!isTransactions.Check(body)) throw new SourceError('badData', 'Banno answered no list of transactions')
  return body.transactions
}

export function idOf(row: unknown): string | null {
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : null
  return typeof id === 'string' && id !== '' ? id : null
}
