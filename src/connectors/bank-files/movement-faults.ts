import type { LocalizedText } from '../../model/values/text.ts'
import type { TransactionPart } from './parts.ts'
import { faultAt } from './refusal.ts'
import { plainAmount } from './values/amounts.ts'
import { isReadable } from './values/dates.ts'
import type { Format } from './wire.ts'

const MAX_KNOWN_DAYS = 10_000

const DATES: Readonly<Record<'booked' | 'initiated' | 'valued', string>> = {
  booked: 'la date de comptabilisation',
  initiated: 'la date de l’opération',
  valued: 'la date de valeur',
}

/** Cache of valid days: a statement repeats the same ones. */
export class CheckedDays {
  readonly #known = new Set<string>()

  isDay(format: Format, text: string | null): boolean {
    if (text === null || this.#known.has(text)) return true
    if (!isReadable(format, text)) return false
    if (this.#known.size >= MAX_KNOWN_DAYS) this.#known.clear()
    this.#known.add(text)
    return true
  }
}

/** Fault of a transaction; null when it is valid. */
export function faultOfMovement(
  { record, at }: TransactionPart,
  days: CheckedDays,
  lineAt: (offset: number) => number,
): LocalizedText | null {
  if (plainAmount(record.amount.text) === null) return unreadable(lineAt(at), 'amount', 'le montant')
  for (const field of ['booked', 'initiated', 'valued'] as const) {
    if (!days.isDay(record.format, record[field])) return unreadable(lineAt(at), `date (${field})`, DATES[field])
  }
  if (record.booked !== null && record.booked !== '') return null
  return unreadable(lineAt(at), 'booking date', DATES.booked)
}

function unreadable(line: number, what: string, french: string): LocalizedText {
  return faultAt(line, `the ${what} of a transaction cannot be read.`, `${french} d’une opération est illisible.`)
}
