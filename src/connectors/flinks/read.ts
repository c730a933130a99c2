import type { Json } from '../../model/values/json.ts'
import type { Answers, SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { toMask } from './mask.ts'
import { AccountsAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const { Accounts: accounts, ...rest } = checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts')
  const { LastRefresh, Type } = rest.Login ?? {}
  const institution = { name: rest.InstitutionName ?? rest.Institution ?? null }
  for (const account of accounts) {
    const id = isJsonObject(account) && typeof account.Id === 'string' ? account.Id : ''
    if (!isJsonObject(account) || id === '') yield { entity: 'Accounts', origId: null, unreadable: 'an account without an Id' }
    else
      yield {
        entity: 'Accounts',
        origId: id,
        wire: { account: withoutNumbers(account), login: { LastRefresh: LastRefresh ?? null, Type: Type ?? null }, institution },
        numbers: fullNumbers(numberOf(account)),
      }
  }
}

/** Number of the account, behind that of its branch. */
function numberOf({ TransitNumber: branch, AccountNumber: number }: Record<string, Json>): string {
  return typeof number === 'string' ? `${typeof branch === 'string' ? branch : ''}${number}` : ''
}

/** Removes account numbers, which are full, and holders with their addresses; no record may contain them. */
function withoutNumbers(account: Record<string, Json>): Record<string, Json> {
  const {
    AccountNumber,
    LastFourDigits,
    TransitNumber: _transit,
    InstitutionNumber: _bank,
    Holder: _holder,
    Transactions: _list,
    ...kept
  } = account
  return { ...kept, Mask: toMask(LastFourDigits, AccountNumber) }
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  if (!answers.accounts) return
  for (const account of checkEnvelope(AccountsAnswer, answerJson(answers, 'accounts'), 'accounts').Accounts) {
    if (!isJsonObject(account)) continue
    const { Id, Currency, Category, Type, Title } = account
    const known = {
      Id,
      ...(Currency === undefined ? {} : { Currency }),
      Category: Category ?? null,
      Type: Type ?? null,
      Title: Title ?? null,
    }
    for (const row of Array.isArray(account.Transactions) ? account.Transactions : []) {
      const id = idOf(row)
      if (id === null) yield { entity: 'Transactions', origId: null, unreadable: 'a transaction without an Id' }
      else yield { entity: 'Transactions', origId: id, wire: { transaction: row, account: known } }
    }
  }
  if (!answers.gone) return
  const gone = answerJson(answers, 'gone')
  for (const id of Array.isArray(gone) ? gone : []) yield { entity: 'Transactions', origId: String(id), removed: true }
}

export function idOf(row: unknown): string | null {
  return isJsonObject(row) && typeof row.Id === 'string' && row.Id !== '' ? row.Id : null
}
