import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
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
    const number = numberOf(answers, id)
    yield { entity: 'Accounts', origId: id, wire: { account, balances, ending: number?.slice(-4) ?? null }, numbers: fullNumbers(number) }
  }
}

export function readAfter(cursor: Json | null): string {
  return isJsonObject(cursor) && typeof cursor.after === 'string' ? cursor.after : ''
}

export function idOf(account: unknown): string | null {
  return isJsonObject(account) && typeof account.id === 'string' && account.id !== '' ? account.id : null
}

/** Full number of an account, of which a record keeps only the ending; null where the details were not asked for. */
function numberOf(answers: Answers, id: string): string | null {
  if (!answers[`details:${id}`]) return null
  return checkEnvelope(DetailsAnswer, answerJson(answers, `details:${id}`), 'details').account_number || null
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
