import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { EntityAnswer, ListAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { data } = checkEnvelope(ListAnswer, answerJson(answers, 'accounts'), 'accounts')
  const { institutionName } = checkEnvelope(EntityAnswer, answerJson(answers, 'entity'), 'entity')
  for (const account of data) {
    const id = idOf(account)
    if (id === null) yield { entity: 'Accounts', origId: null, unreadable: 'an account without an id' }
    else if (isJsonObject(account) && typeof account.institution_name === 'string' && account.institution_name !== institutionName)
      yield { entity: 'Accounts', origId: id, unreadable: 'an account of another bank, linked for the same customer' }
    else yield { entity: 'Accounts', origId: id, wire: account }
  }
}

export function idOf(row: unknown): string | null {
  return isJsonObject(row) && typeof row.id === 'string' && row.id !== '' ? row.id : null
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  const { data } = checkEnvelope(ListAnswer, answerJson(answers, 'transactions'), 'transactions')
  const account = answerJson(answers, 'account')
  for (const transaction of data) {
    const id = idOf(transaction)
    if (id === null || !isJsonObject(transaction)) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without an id' }
    else if (transaction.status === 'void') yield { entity: 'Transactions', origId: id, removed: true }
    else if (transaction.account !== account)
      yield { entity: 'Transactions', origId: id, unreadable: 'a transaction of another account than the one that was asked for' }
    else yield { entity: 'Transactions', origId: id, wire: transaction }
  }
}
