import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { toAccountId, toAccountSet } from './request.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const seen = new Set<string>()
  for (const account of toAccountSet(answerJson(answers, 'accounts')).accounts) {
    const id = toAccountId(account)
    if (id === null || !isJsonObject(account)) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else if (!seen.has(id)) {
      seen.add(id)
      const { transactions: _transactions, ...rest } = account
      yield { entity: 'Accounts', origId: id, wire: { id, account: rest } }
    }
  }
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  for (const account of toAccountSet(answerJson(answers, 'transactions')).accounts) {
    const id = toAccountId(account)
    if (id === null || !isJsonObject(account))
      yield { entity: 'Transactions', origId: null, unreadable: 'movements of an account without an id' }
    else for (const row of movementsOf(account)) yield toItem(row, id, account.currency ?? null)
  }
  if (answers.gone) for (const origId of readIds(answerJson(answers, 'gone'))) yield { entity: 'Transactions', origId, removed: true }
}

function movementsOf(account: { [key: string]: Json }): Json[] {
  const { transactions } = account
  if (transactions === undefined || transactions === null) return []
  if (!Array.isArray(transactions)) throw new SourceError('badData', 'SimpleFIN: the movements of an account are no list')
  return transactions
}

/** Ids are unique within an account only. */
function toItem(row: unknown, account: string, currency: Json): SourceItem {
  if (!isJsonObject(row) || typeof row.id !== 'string' || row.id === '') {
    return { entity: 'Transactions', origId: null, unreadable: 'a movement without an id' }
  }
  const id = `${account}/${row.id}`
  return {
    entity: 'Transactions',
    origId: id,
    wire: { id, account, currency: typeof currency === 'string' ? currency : null, transaction: row },
  }
}

function readIds(value: Json): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}
