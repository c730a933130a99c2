import { type LocalizedText, maskAccountNumber } from '../../../model/values/text.ts'
import { blankAccount, type Part, toAccountId } from '../parts.ts'
import { faultAt } from '../refusal.ts'
import { ExactSum } from '../values/amounts.ts'
import type { Amount, StatementAccount } from '../wire.ts'
import { readDetail } from './details.ts'
import type { BaiRecord } from './records.ts'
import { wholeNumber } from './totals.ts'

const TYPE_CODE = /^\d{3}$/

/** Type code of a record without money, only a text of the bank. */
const NON_MONETARY = '890'

/** Running figures that a trailer must agree with; amounts in minor units. */
export interface Totals {
  readonly amount: ExactSum
  records: number
  parts: number
  /** False when a part of it has no trailer: its total is then unknown. */
  isWhole: boolean
}

export interface Group extends Totals {
  /** As-of day. */
  date: string
  bankId: string
  status: string
  asOf: string
  currency: string
}

export interface Account {
  record: StatementAccount
  /** Empty when the file has none; then the account cannot be imported. */
  number: string
  currency: string
  readonly amount: ExactSum
  records: number
  fault: LocalizedText | null
}

export function openAccount(
  fields: readonly string[],
  group: Group,
  created: string,
  record: BaiRecord,
  lineAt: (offset: number) => number,
): Account {
  const number = fields[0] ?? ''
  const currency = (fields[1] || group.currency).toUpperCase()
  const wire: StatementAccount = {
    ...blankAccount('bai2', toAccountId(group.bankId, number), maskAccountNumber(number)),
    bankId: group.bankId,
    bankName: group.bankId || null,
    currency,
    dates: { fileCreated: created },
  }
  const fault =
    number === '' ? faultAt(lineAt(record.at), 'record 03 names no account.', 'l’enregistrement 03 ne nomme aucun compte.') : null
  const account: Account = { record: wire, number, currency, amount: new ExactSum(), records: record.count, fault }
  for (const { code, text } of summaries(fields)) {
    const amount = wholeNumber(text)
    if (amount === null) {
      account.fault ??= faultAt(
        lineAt(record.at),
        `the amount of type ${code} cannot be read.`,
        `le montant du type ${code} est illisible.`,
      )
      continue
    }
    account.amount.add(amount)
    wire.amounts[code] ??= { text, mark: null, unit: 'minor', currency: null, date: group.asOf }
  }
  return account
}

/**
 * Type code, amount, item count, funds type and its fields, repeated; blank amounts are absent. Blank fields in place
 * of a code are skipped, and a code in place of a funds type begins the next group: banks write one comma more or less
 * before a continuation.
 */
function* summaries(fields: readonly string[]): Generator<{ code: string; text: string }, void> {
  for (let at = 2; at < fields.length; ) {
    const [code = '', text = '', , funds = '', pairs = '0'] = fields.slice(at, at + 5)
    if (code === '') {
      at += 1
      continue
    }
    if (TYPE_CODE.test(code) && text !== '') yield { code, text }
    if (TYPE_CODE.test(funds)) at += 3
    else at += 4 + fieldsOfFunds(funds, pairs)
  }
}

/** Availability: by value date (V), in three parts (S), or in counted parts (D). */
function fieldsOfFunds(funds: string, pairs: string): number {
  if (funds === 'V') return 2
  if (funds === 'S') return 3
  return funds === 'D' ? 1 + 2 * (Number.parseInt(pairs, 10) || 0) : 0
}

/** Transaction of a detail record, or the reason why it is unreadable. */
export function detailPart(record: BaiRecord, account: Account, group: Group, statement: number, lineAt: (offset: number) => number): Part {
  const detail = readDetail(record.body)
  if (detail.code === NON_MONETARY && detail.amount === '') return { part: 'notBooked', statement, at: record.at }
  const units = wholeNumber(detail.amount)
  if (units === null) {
    const line = lineAt(record.at)
    const reason = faultAt(line, 'the amount of a transaction (16) cannot be read.', 'le montant d’une opération (16) est illisible.')
    account.fault ??= reason
    return { part: 'unreadable', statement, entity: 'Transactions', reason, at: record.at }
  }
  account.amount.add(units)
  const mark = markOf(detail.code)
  if (mark === null) {
    const reason = faultAt(
      lineAt(record.at),
      'the type code is neither a credit nor a debit.',
      'le code de type n’est ni un crédit ni un débit.',
    )
    return { part: 'unreadable', statement, entity: 'Transactions', reason, at: record.at }
  }
  const { customerReference, bankReference } = detail
  const amount: Amount = { text: detail.amount, mark, unit: 'minor', currency: null, date: null }
  return {
    part: 'transaction',
    statement,
    record: {
      format: 'bai2',
      accountOrigId: account.record.origId,
      amount,
      currency: account.currency,
      type: detail.code,
      booked: group.date,
      initiated: null,
      valued: detail.valued || null,
      name: null,
      text: detail.text || null,
      reference: joined(bankReference, customerReference) || null,
    },
    fitid: null,
    accountNumber: account.number,
    at: record.at,
  }
}

/** 101–399 and 920–959 are credits, 401–699 and 960–999 debits; of the loan codes 721–759 are payments, 760–799 drawings. */
function markOf(code: string): 'C' | 'D' | null {
  const whole = code.length === 3 ? wholeNumber(code) : null
  const number = typeof whole === 'number' ? whole : 0
  if ((number >= 100 && number < 400) || (number >= 920 && number < 960) || (number >= 720 && number < 760)) return 'C'
  if ((number >= 400 && number < 700) || number >= 960 || (number >= 760 && number < 800)) return 'D'
  return null
}

function joined(first: string, second: string): string {
  if (first === '' || second === '') return first || second
  return `${first} ${second}`
}
