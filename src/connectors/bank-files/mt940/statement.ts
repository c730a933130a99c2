import { type LocalizedText, maskAccountNumber } from '../../../model/values/text.ts'
import { type AccountPart, blankAccount, type TransactionPart, toAccountId, type UnreadablePart } from '../parts.ts'
import { faultAt } from '../refusal.ts'
import { AmountSum } from '../values/amounts.ts'
import { isReadable, nearestShortDay } from '../values/dates.ts'
import type { Amount, StatementAccount } from '../wire.ts'
import type { Field } from './messages.ts'
import { scanMovement } from './movements.ts'

/** Statement being read; its messages (pages) follow each other until the final balance. */
export interface Statement {
  /** Empty when the file has none; then the statement cannot be imported. */
  number: string
  bankId: string | null
  record: StatementAccount
  /** Opening balance plus movements of the current page. */
  sum: AmountSum
  hasBalance: boolean
  closing: Amount | null
  closingAt: number
  fault: LocalizedText | null
  /** A movement that waits for its field 86. */
  movement: TransactionPart | null
}

/** `:25:`: account, `bank/account`, `BIC/IBAN`, optionally followed by the currency. */
export function readAccount(field: Field, headerBank: string | null, lineAt: (offset: number) => number): Statement {
  const [line = ''] = field.text.split('\n', 1)
  const slash = line.lastIndexOf('/')
  const number = line
    .slice(slash + 1)
    .trim()
    .replace(/(?<=\d)\s?[A-Z]{3}$/, '')
  const bankId = line.slice(0, Math.max(slash, 0)).trim() || headerBank
  const record = { ...blankAccount('mt940', toAccountId(bankId, number), maskAccountNumber(number)), bankId }
  const fault = number === '' ? faultAt(lineAt(field.at), 'the account (:25:) is empty.', 'le compte (:25:) est vide.') : null
  return { number, bankId, record, sum: new AmountSum(), hasBalance: false, closing: null, closingAt: field.at, fault, movement: null }
}

/** A line `:61:`; an unreadable one invalidates its statement, whose sum can then not be checked. */
export function readMovement(
  statement: Statement,
  field: Field,
  index: number,
  lineAt: (offset: number) => number,
): TransactionPart | UnreadablePart {
  const [line, supplement] = firstLine(field.text)
  const movement = scanMovement(line)
  if (movement === null || !statement.sum.add(movement.amount, movement.mark)) {
    const reason = unreadable(field, lineAt)
    statement.fault ??= reason
    return { part: 'unreadable', statement: index, entity: 'Transactions', reason, at: field.at }
  }
  const { valued, booked, mark, type, customer, bank } = movement
  const reference = customer === 'NONREF' ? bank : customer
  const amount: Amount = { text: movement.amount, mark, unit: 'major', currency: null, date: null }
  return {
    part: 'transaction',
    statement: index,
    record: {
      format: 'mt940',
      accountOrigId: statement.record.origId,
      amount,
      currency: statement.record.currency,
      type,
      booked: booked === null ? valued : nearestShortDay(booked, valued),
      initiated: null,
      valued,
      name: null,
      text: supplement,
      reference: reference || null,
    },
    ...(field.withOwnFields === undefined ? {} : { identifiedBy: { name: null, text: firstLine(field.withOwnFields)[1] } }),
    fitid: null,
    accountNumber: statement.number,
    at: field.at,
  }
}

/** First line, and the others joined into one. */
function firstLine(text: string): [string, string | null] {
  const newline = text.indexOf('\n')
  if (newline === -1) return [text, null]
  return [
    text.slice(0, newline),
    text
      .slice(newline + 1)
      .replaceAll('\n', ' ')
      .trim() || null,
  ]
}

/** Account part of a statement that was read completely. */
export function accountPart(statement: Statement, index: number): AccountPart | UnreadablePart {
  const { record, number, closing, closingAt, fault } = statement
  if (number === '' && fault !== null) return { part: 'unreadable', statement: index, entity: 'Accounts', reason: fault, at: closingAt }
  const asOf = closing !== null && isReadable('mt940', closing.date) ? closing.date : null
  return { part: 'account', statement: index, record, asOf, accountNumber: number, at: closingAt, fault }
}

export function unreadable(field: Field, lineAt: (offset: number) => number): LocalizedText {
  return faultAt(lineAt(field.at), `the field :${field.tag}: cannot be read.`, `le champ :${field.tag}: est illisible.`)
}
