import { faultAt } from '../refusal.ts'
import { AmountSum, toUnits, unitsText } from '../values/amounts.ts'
import type { Amount } from '../wire.ts'
import type { Field } from './messages.ts'
import { type Statement, unreadable } from './statement.ts'

const BALANCE = /^(C|D)(\d{6})([A-Z]{3})([\d,.]{1,20})\s*$/

/** Opening balance: `:60F:` begins a statement, `:60M:` a further page of it. */
export function openBalance(statement: Statement, field: Field, lineAt: (offset: number) => number): void {
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

/**
 * Closing balance: `:62F:` ends a statement, `:62M:` a page of it. It must equal the opening balance plus the
 * movements.
 */
export function closeBalance(statement: Statement, field: Field, lineAt: (offset: number) => number): void {
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
  const match = BALANCE.exec(field.text.split('\n', 1)[0] ?? '')
  if (match === null) return null
  const [, mark = null, date = null, currency = null, text = ''] = match
  return { text, mark, unit: 'major', currency, date }
}
