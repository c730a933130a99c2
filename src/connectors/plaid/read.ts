import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { AccountsAnswer, ItemStatusAnswer, LiabilitiesAnswer, SyncAnswer } from './wire.ts'

type LiabilityIndex = Record<'credit' | 'mortgage' | 'student', Map<string, unknown>>

export const PATH = '/transactions/sync'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { accounts } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const { item, status } = checkEnvelope(ItemStatusAnswer, answerJson(answers, 'item'), 'item')
  const parts = answers.liabilities ? readLiabilities(answers) : null
  for (const account of accounts) {
    const id = isJsonObject(account) ? account.account_id : null
    if (typeof id !== 'string' || id === '') {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an account_id' }
      continue
    }
    const liability = { credit: parts?.credit.get(id), mortgage: parts?.mortgage.get(id), student: parts?.student.get(id) }
    yield { entity: 'Accounts', origId: id, wire: { account, ...withoutAbsent(liability), item, status: status ?? null } }
  }
}

function readLiabilities(answers: Answers): LiabilityIndex {
  const { liabilities } = checkEnvelope(LiabilitiesAnswer, answerJson(answers, 'liabilities'), 'liabilities')
  return {
    credit: byAccount(liabilities.credit),
    mortgage: byAccount(liabilities.mortgage),
    student: byAccount(liabilities.student),
  }
}

function byAccount(list: readonly unknown[] | null | undefined): Map<string, unknown> {
  const index = new Map<string, unknown>()
  for (const entry of list ?? []) {
    if (isJsonObject(entry) && typeof entry.account_id === 'string') index.set(entry.account_id, withoutNumbers(entry))
  }
  return index
}

/** Removes full account numbers from loans, since no record may contain one; the account's mask is enough. */
function withoutNumbers(liability: Record<string, unknown>): Record<string, unknown> {
  const { account_number: _number, payment_reference_number: _reference, ...rest } = liability
  return rest
}

function withoutAbsent(parts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

export function* readChanges(answers: Answers): Iterable<SourceItem> {
  const { added, modified, removed } = checkEnvelope(SyncAnswer, answerJson(answers, 'changes'), PATH)
  const gone = new Set(removed.map((entry) => entry.transaction_id))
  for (const entry of [...added, ...modified]) {
    const id = idOf(entry)
    if (id === null) {
      yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without a transaction_id' }
      continue
    }
    const replaced = isJsonObject(entry) ? entry.pending_transaction_id : null
    // A booked transaction names the pending one that it replaces. Plaid also lists the pending one as removed, but not
    // always in the same update.
    if (typeof replaced === 'string' && replaced !== id) gone.add(replaced)
    yield { entity: 'Transactions', origId: id, wire: entry }
  }
  if (answers.abandoned) for (const id of readIds(answerJson(answers, 'abandoned'))) gone.add(id)
  for (const origId of gone) yield { entity: 'Transactions', origId, removed: true }
}

export function idOf(entry: unknown): string | null {
  return isJsonObject(entry) && typeof entry.transaction_id === 'string' && entry.transaction_id !== '' ? entry.transaction_id : null
}

export function readIds(value: Json): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}
