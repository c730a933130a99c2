import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Json, parseJson } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson } from '../toolkit/http/answers.ts'
import { ASKED_ACCOUNT, rowId, transactionId } from './map.ts'
import { partsOf, valueAt } from './pointers.ts'
import type { AccountList, Profile } from './profile.ts'
import { rowsIn, withMore } from './rows.ts'
import { LIST } from './wire.ts'

const AccountsPage = Type.Object({ list: Type.String() })
const TransactionsPage = Type.Object({ list: Type.String(), account: Type.String(), gone: Type.Array(Type.String()) })

export function* readAccounts(profile: Profile, answers: Answers): Generator<SourceItem> {
  const about = answerJson(answers, 'about')
  const list = profile.accounts.find(({ name }) => Check(AccountsPage, about) && name === about.list)
  if (!list) throw new SourceError('badData', 'the profile has no such list any more')
  for (const [index, row] of rowsIn(answerJson(answers, 'rows'), list.rows, `the list "${list.name}"`).entries()) {
    const origId = rowId(row, list.id)
    const whole = withMore(row, detailsOf(answers, list, index))
    if (origId === null || whole === null) yield { entity: 'Accounts', origId: null, unreadable: `a row of "${list.name}" without an id` }
    else yield { entity: 'Accounts', origId, wire: { [LIST]: list.name, row: whole } }
  }
}

function detailsOf(answers: Answers, list: AccountList, index: number): { [name: string]: Json } {
  return Object.fromEntries(
    (list.details ?? []).map(({ as, value }) => {
      const bytes = answers[nameOf(as, index)]
      const found = bytes && valueAt(parseJson(new TextDecoder().decode(bytes)), partsOf(value))
      return [as, found ?? null]
    }),
  )
}

export function nameOf(as: string, index: number): string {
  return `${as}-${index}`
}

export function* readTransactions(profile: Profile, answers: Answers): Generator<SourceItem> {
  const about = answerJson(answers, 'about')
  if (!Check(TransactionsPage, about)) throw new SourceError('badData', 'the page does not say what it is')
  const list = profile.transactions.find(({ name }) => name === about.list)
  if (!list) throw new SourceError('badData', 'the profile has no such list any more')
  for (const origId of about.gone) yield { entity: 'Transactions', origId, removed: true }
  for (const row of rowsIn(answerJson(answers, 'rows'), list.rows, `the list "${list.name}"`)) {
    const whole = withMore(row, { [ASKED_ACCOUNT]: about.account })
    const origId = transactionId(list, whole)
    if (origId === null || whole === null) {
      yield { entity: 'Transactions', origId: null, unreadable: `a row of "${list.name}" without an id` }
    } else yield { entity: 'Transactions', origId, wire: { [LIST]: list.name, row: whole } }
  }
}
