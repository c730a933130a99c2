import { Check } from 'typebox/value'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, isJsonObject } from '../toolkit/http/answers.ts'
import { currencyOf, organizationCurrency } from './currencies.ts'
import { keyOf } from './request.ts'
import { isMovement } from './type-table.ts'
import { ListAnswer } from './wire.ts'

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const tenant = answerJson(answers, 'tenant')
  const home = organizationCurrency(answers)
  for (const [list, kind] of [
    ['deposits', 'deposit'],
    ['loans', 'loan'],
  ] as const) {
    if (!answers[list]) continue
    for (const row of readRows(answers, list)) {
      const key = keyOf(row)
      if (key === null) yield { entity: 'Accounts', origId: null, unreadable: `a ${kind} account without an encodedKey` }
      else yield { entity: 'Accounts', origId: key, wire: { tenant, home, [kind]: row, ...scheduleOf(answers, key) } }
    }
  }
}

function readRows(answers: Answers, name: string): unknown[] {
  const rows = answerJson(answers, name)
  if (!Check(ListAnswer, rows)) throw new SourceError('badData', `Mambu: the ${name} are no list`)
  return rows
}

function scheduleOf(answers: Answers, key: string) {
  const name = `schedule/${key}`
  return answers[name] ? { schedule: answerJson(answers, name) } : {}
}

export function* readTransactions(answers: Answers): Iterable<SourceItem> {
  for (const [list, of] of [
    ['deposits', 'deposit'],
    ['loans', 'loan'],
  ] as const) {
    if (!answers[list]) continue
    const home = organizationCurrency(answers)
    const currencies = new Map(readRows(answers, list).map((row) => [keyOf(row), currencyOf(row) || home]))
    for (const name of Object.keys(answers).filter((each) => each.includes('@'))) {
      const account = name.slice(0, name.lastIndexOf('@'))
      for (const row of readRows(answers, name)) yield* toItem(row, of, account, currencies)
    }
  }
}

function* toItem(row: unknown, of: string, listedOf: string, currencies: ReadonlyMap<string | null, string>): Iterable<SourceItem> {
  const key = keyOf(row)
  if (key === null || !isJsonObject(row)) {
    yield { entity: 'Transactions', origId: null, unreadable: `a movement of a ${of} account without an encodedKey` }
  } else if (isMovement(row.type)) {
    const account = typeof row.parentAccountKey === 'string' ? row.parentAccountKey : listedOf
    yield { entity: 'Transactions', origId: key, wire: { of, account, accountCurrency: currencies.get(account) ?? '', row } }
  }
}
