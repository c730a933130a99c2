import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { guidsOf } from './paging.ts'
import { AccountsAnswer, BankAnswer, MemberAnswer, TransactionsAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { accounts } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const { member } = checkEnvelope(MemberAnswer, answerJson(answers, 'member'), 'member')
  const institution = answers.institution ? checkEnvelope(BankAnswer, answerJson(answers, 'institution'), 'institution').institution : null
  for (const [index, id] of guidsOf(accounts).entries()) {
    if (id === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without a guid' }
    else
      yield { entity: 'Accounts', origId: id, wire: { account: accounts[index], member, institution }, numbers: numbersOf(accounts[index]) }
  }
}

/** Most numbers arrive masked, some full. */
function numbersOf(account: unknown): string[] {
  return isJsonObject(account) ? fullNumbers(account.account_number) : []
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const { transactions } = checkEnvelope(TransactionsAnswer, answerJson(answers, 'transactions'), 'transactions')
  const defaults = answerJson(answers, 'defaults')
  const defaultCurrency = isJsonObject(defaults) && typeof defaults.currency === 'string' ? defaults.currency : ''
  for (const [index, id] of guidsOf(transactions).entries()) {
    if (id === null) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without a guid' }
    else yield { entity: 'Transactions', origId: id, wire: { transaction: transactions[index], defaultCurrency } }
  }
  if (answers.gone) for (const origId of textsIn(answerJson(answers, 'gone'))) yield { entity: 'Transactions', origId, removed: true }
}

export function textsIn(value: Json): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
