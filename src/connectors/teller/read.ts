import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/answers.ts'
import { checkEnvelope } from './request.ts'
import { AccountWords, DetailsAnswer, ListAnswer, ObjectAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const accounts = checkEnvelope(ListAnswer, answerJson(answers, 'accounts'), '/accounts')
  const slice = checkEnvelope(ObjectAnswer, answerJson(answers, 'slice'), 'slice')
  const after = readAfter(slice as Json)
  const upTo = 'upTo' in slice && typeof slice.upTo === 'string' ? slice.upTo : null
  for (const account of accounts) {
    const id = idOf(account)
    if (id === null) {
      yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
      continue
    }
    if (id <= after || (upTo !== null && id > upTo)) continue
    const balances = answers[`balances:${id}`] ? checkEnvelope(ObjectAnswer, answerJson(answers, `balances:${id}`), 'balances') : null
    yield { entity: 'Accounts', origId: id, wire: { account, balances, ending: endingOf(answers, id) } }
  }
}

export function readAfter(cursor: Json | null): string {
  return isJsonObject(cursor) && typeof cursor.after === 'string' ? cursor.after : ''
}

export function idOf(account: unknown): string | null {
  return isJsonObject(account) && typeof account.id === 'string' && account.id !== '' ? account.id : null
}

/** Ending of the account number; the full number never leaves this function. */
function endingOf(answers: Answers, id: string): string | null {
  if (!answers[`details:${id}`]) return null
  const { account_number: number } = checkEnvelope(DetailsAnswer, answerJson(answers, `details:${id}`), 'details')
  return number ? number.slice(-4) : null
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const list = checkEnvelope(ListAnswer, answerJson(answers, 'transactions'), 'transactions')
  const account = checkEnvelope(AccountWords, answerJson(answers, 'account'), 'account')
  for (const transaction of list) {
    const id = idOf(transaction)
    if (id === null) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without an id' }
    else if (!isJsonObject(transaction) || transaction.account_id !== account.id)
      yield { entity: 'Transactions', origId: id, unreadable: 'a transaction of another account than the one that was asked for' }
    else yield { entity: 'Transactions', origId: id, wire: { transaction, account: { type: account.type, currency: account.currency } } }
  }
  if (!answers.gone) return
  const gone = answerJson(answers, 'gone')
  for (const id of Array.isArray(gone) ? gone : []) if (typeof id === 'string') yield { entity: 'Transactions', origId: id, removed: true }
}
