import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { toMask } from './mask.ts'
import { AccountsAnswer, TransactionsAnswer } from './wire.ts'

/** Student loan group: the sum of its student loans, which are accounts themselves, so it would count twice. */
export const LOAN_GROUP = 'studentLoanGroup'

export const PATH = '/aggregation/v4/customers/*/accounts/*/transactions'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { accounts } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const institution = answerJson(answers, 'institution')
  for (const account of accounts) {
    const id = isJsonObject(account) && (typeof account.id === 'string' || typeof account.id === 'number') ? String(account.id) : ''
    if (!isJsonObject(account) || id === '') yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else if (account.type === LOAN_GROUP)
      yield { entity: 'Accounts', origId: id, unreadable: 'a group of student loans: the sum of its loans, each of which is an account' }
    else yield { entity: 'Accounts', origId: id, wire: { account: withMask(account), institution }, numbers: fullNumbers(account.number) }
  }
}

/** Masks account numbers, which may be full; no record may contain one. */
function withMask(account: Record<string, unknown>): Record<string, unknown> {
  const { number, accountNumberDisplay, realAccountNumberLast4, position: _holdings, ...rest } = account
  return { ...rest, mask: toMask(accountNumberDisplay, realAccountNumberLast4, number) }
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const known = new Map(answers.accounts ? readListed(answerJson(answers, 'accounts')) : [])
  for (const name of Object.keys(answers).filter((each) => each.startsWith('transactions'))) {
    for (const row of checkEnvelope(TransactionsAnswer, answerJson(answers, name), PATH).transactions) yield toItem(row, known)
  }
  if (answers.gone) {
    const gone = answerJson(answers, 'gone')
    for (const id of Array.isArray(gone) ? gone : []) yield { entity: 'Transactions', origId: String(id), removed: true }
  }
}

function* readListed(listed: Json): Iterable<[string, object]> {
  for (const each of Array.isArray(listed) ? listed : [])
    if (isJsonObject(each)) yield [String(each.id), { type: each.type, currency: each.currency }]
}

function toItem(row: unknown, known: ReadonlyMap<string, object>): SourceItem {
  const id = idOf(row)
  if (id === null || !isJsonObject(row)) return { entity: 'Transactions', origId: null, unreadable: 'a transaction without an id' }
  // Removed: listed earlier, and no longer listed by the bank.
  if (row.status === 'shadow') return { entity: 'Transactions', origId: id, removed: true }
  const account = known.get(String(row.accountId))
  if (!account) return { entity: 'Transactions', origId: id, unreadable: 'a transaction of an account that was not asked for' }
  return { entity: 'Transactions', origId: id, wire: { transaction: row, account } }
}

export function idOf(row: unknown): string | null {
  return isJsonObject(row) && (typeof row.id === 'number' || (typeof row.id === 'string' && row.id !== '')) ? String(row.id) : null
}
