import type { LocalizedText } from '../../../model/text.ts'
import { maskAccountNumber } from '../../../model/text.ts'
import { AmountSum, toUnits, unitsText } from '../amounts.ts'
import { nearestShortDay } from '../dates.ts'
import { blankAccount, type Part, type TransactionPart, toAccountId } from '../parts.ts'
import { cutAt, faultAt, refused, refusedAt } from '../refusal.ts'
import type { Amount, StatementAccount } from '../wire.ts'
import { readDetails } from './details.ts'
import { bankOfHeader, type Field, readFields } from './messages.ts'
import { scanMovement } from './movements.ts'

/** SWIFT MT940, customer statement. Source: https://www2.swift.com/knowledgecentre/publications/us9m (MT940 format specifications) */

const BALANCE = /^(C|D)(\d{6})([A-Z]{3})([\d,.]{1,20})\s*$/

/** A statement in the making; its messages (pages) follow each other until the final balance. */
interface Statement {
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

export function* parseMt940(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  let index = 0
  let bank: string | null = null
  let messages = 0
  let current: Statement | null = null
  let after = ''
  let startedAt = 0
  for (const field of readFields(text)) {
    const movement: TransactionPart | null = current?.movement ?? null
    if (movement !== null && current !== null && field.tag !== '86') {
      current.movement = null
      yield movement
    }
    switch (field.tag) {
      case 'header':
        if (messages > 0 && current !== null && after !== '62M') {
          if (current.closing === null) throw withoutClosing(lineAt(startedAt))
          yield accountPart(current, index)
          index += 1
          current = null
        }
        if (current === null) bank = bankOfHeader(field.text)
        messages += 1
        startedAt = field.at
        after = ''
        break
      case '25': {
        const next = readAccount(field.text, bank)
        if (next === null) throw refusedAt(lineAt(field.at), 'the account (:25:) is empty.', 'le compte (:25:) est vide.')
        if (current !== null && current.number !== next.number) {
          yield accountPart({ ...current, fault: pageMissing(lineAt(current.closingAt)) }, index)
          index += 1
          current = null
        }
        current ??= next
        break
      }
      case '60F':
      case '60M':
        if (current !== null) openBalance(current, field, lineAt)
        break
      case '61':
        if (current !== null) current.movement = readMovement(current, field, index, lineAt)
        break
      case '86':
        if (movement !== null && current !== null) {
          const { text: said, counterparty, kind } = readDetails(field.text)
          const { record } = movement
          current.movement = null
          record.text = said ?? record.text
          record.name = counterparty
          record.type = kind ?? record.type
          yield movement
        }
        break
      case '62F':
      case '62M':
        if (current !== null) closeBalance(current, field, lineAt)
        after = field.tag
        break
      case '34F':
        if (current?.hasBalance !== true) throw interimReport(lineAt(field.at))
        break
      default:
    }
  }
  if (current?.movement) yield current.movement
  if (messages === 0 || current === null)
    throw refused('The MT940 file names no account (:25:).', 'Le fichier MT940 ne nomme aucun compte (:25:).')
  if (after === '') throw withoutClosing(lineAt(startedAt))
  yield accountPart(after === '62M' ? { ...current, fault: current.fault ?? pageMissing(lineAt(current.closingAt)) } : current, index)
}

/** `:25:`: account, `bank/account`, `BIC/IBAN`, with or without the currency behind it. */
function readAccount(text: string, headerBank: string | null): Statement | null {
  const [line = ''] = text.split('\n')
  const slash = line.lastIndexOf('/')
  const number = line
    .slice(slash + 1)
    .trim()
    .replace(/(?<=\d)\s?[A-Z]{3}$/, '')
  if (number === '') return null
  const bankId = line.slice(0, Math.max(slash, 0)).trim() || headerBank
  const record = { ...blankAccount('mt940', toAccountId(bankId, number), maskAccountNumber(number)), bankId }
  return { number, bankId, record, sum: new AmountSum(), hasBalance: false, closing: null, closingAt: 0, fault: null, movement: null }
}

function openBalance(statement: Statement, field: Field, lineAt: (offset: number) => number): void {
  const amount = readBalance(field)
  const sum = new AmountSum()
  if (amount === null || !sum.add(amount.text, amount.mark)) statement.fault ??= unreadable(field, lineAt)
  else {
    statement.sum = sum
    statement.hasBalance = true
    statement.record.currency = amount.currency ?? ''
    if (field.tag === '60F') statement.record.amounts['60F'] = amount
  }
}

function closeBalance(statement: Statement, field: Field, lineAt: (offset: number) => number): void {
  const amount = readBalance(field)
  const units = amount === null ? null : toUnits(amount.text, amount.mark)
  statement.closingAt = field.at
  if (amount === null || units === null) {
    statement.fault ??= unreadable(field, lineAt)
    return
  }
  statement.closing = amount
  statement.record.currency ||= amount.currency ?? ''
  if (field.tag === '62F') statement.record.amounts['62F'] = amount
  if (!statement.hasBalance || statement.sum.units === units) return
  const [reached, stated] = [unitsText(statement.sum.units), unitsText(units)]
  statement.fault ??= faultAt(
    lineAt(field.at),
    `opening balance and movements come to ${reached.en}, but the closing balance (:${field.tag}:) says ${stated.en}.`,
    `le solde d’ouverture et les mouvements donnent ${reached['fr-CA']}, mais le solde de clôture (:${field.tag}:) indique ${stated['fr-CA']}.`,
  )
}

function readBalance(field: Field): Amount | null {
  const match = BALANCE.exec(field.text.split('\n')[0] ?? '')
  if (match === null) return null
  const [, mark = null, date = null, currency = null, text = ''] = match
  return { text, mark, unit: 'major', currency, date }
}

function readMovement(statement: Statement, field: Field, index: number, lineAt: (offset: number) => number): TransactionPart | null {
  const newline = field.text.indexOf('\n')
  const line = newline === -1 ? field.text : field.text.slice(0, newline)
  const supplement =
    newline === -1
      ? ''
      : field.text
          .slice(newline + 1)
          .replaceAll('\n', ' ')
          .trim()
  const movement = scanMovement(line)
  if (movement === null || !statement.sum.add(movement.amount, movement.mark)) {
    statement.fault ??= unreadable(field, lineAt)
    return null
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
      text: supplement || null,
      reference: reference || null,
    },
    fitid: null,
    accountNumber: statement.number,
    at: field.at,
  }
}

function accountPart(statement: Statement, index: number): Part {
  const { record, number, closing, closingAt, fault } = statement
  return { part: 'account', statement: index, record, asOf: closing?.date ?? null, accountNumber: number, at: closingAt, fault }
}

function unreadable(field: Field, lineAt: (offset: number) => number): LocalizedText {
  return faultAt(lineAt(field.at), `the field :${field.tag}: cannot be read.`, `le champ :${field.tag}: est illisible.`)
}

function pageMissing(line: number): LocalizedText {
  return faultAt(
    line,
    'the statement goes on (:62M:), but its next page is not in the file.',
    'le relevé continue (:62M:), mais sa page suivante n’est pas dans le fichier.',
  )
}

function withoutClosing(line: number): Error {
  return cutAt(
    line,
    'the message that begins here has no closing balance (:62F:).',
    'le message qui commence ici n’a pas de solde de clôture (:62F:).',
  )
}

function interimReport(line: number): Error {
  return refusedAt(
    line,
    'this is an MT942 (movements of the day), not a statement. Download the MT940.',
    'ceci est un MT942 (mouvements du jour), et non un relevé. Téléchargez le MT940.',
  )
}
