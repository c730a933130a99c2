import type { LocalizedText } from '../../../model/text.ts'
import { maskAccountNumber } from '../../../model/text.ts'
import { ExactSum } from '../amounts.ts'
import { blankAccount, type Part, toAccountId } from '../parts.ts'
import { faultAt, refusedAt } from '../refusal.ts'
import type { Amount, StatementAccount } from '../wire.ts'
import { readDetail } from './details.ts'
import type { BaiRecord } from './records.ts'
import { wholeNumber } from './totals.ts'

/** Contains no money, only words of the bank. */
const NON_MONETARY = '890'

/** Running figures that a trailer must agree with; amounts in minor units. */
export interface Totals {
  readonly amount: ExactSum
  records: number
  parts: number
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
  if (number === '') throw refusedAt(lineAt(record.at), 'record 03 names no account.', 'l’enregistrement 03 ne nomme aucun compte.')
  const currency = (fields[1] || group.currency).toUpperCase()
  const wire: StatementAccount = {
    ...blankAccount('bai2', toAccountId(group.bankId, number), maskAccountNumber(number)),
    bankId: group.bankId,
    bankName: group.bankId || null,
    currency,
    dates: { fileCreated: created },
  }
  const account: Account = { record: wire, number, currency, amount: new ExactSum(), records: record.count, fault: null }
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

/** Type code, amount, item count, funds type and what that brings along, repeated; blank amounts are absent. */
function* summaries(fields: readonly string[]): Generator<{ code: string; text: string }, void> {
  for (let at = 2; at < fields.length; ) {
    const [code = '', text = '', , funds = '', pairs = '0'] = fields.slice(at, at + 5)
    if (/^\d{3}$/.test(code) && text !== '') yield { code, text }
    const extra = funds === 'V' ? 2 : funds === 'S' ? 3 : funds === 'D' ? 1 + 2 * (Number.parseInt(pairs, 10) || 0) : 0
    at += 4 + extra
  }
}

/** The movement of a detail record; null when it is none or cannot be trusted. */
export function detailPart(
  record: BaiRecord,
  account: Account,
  group: Group,
  statement: number,
  lineAt: (offset: number) => number,
): Part | null {
  const detail = readDetail(record.body)
  if (detail.code === NON_MONETARY && detail.amount === '') return null
  const units = wholeNumber(detail.amount)
  if (units === null) {
    const line = lineAt(record.at)
    account.fault ??= faultAt(line, 'the amount of a transaction (16) cannot be read.', 'le montant d’une opération (16) est illisible.')
    return null
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
