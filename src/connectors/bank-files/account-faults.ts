import type { LocalizedText } from '../../model/values/text.ts'
import { faultAt } from './refusal.ts'
import { plainAmount } from './values/amounts.ts'
import { isReadable } from './values/dates.ts'
import type { Amount, StatementAccount } from './wire.ts'

/**
 * Readable part of an account, and the data that had to be left out: balances, dates and rates besides its
 * transactions.
 */
export interface ReadableAccount {
  record: StatementAccount
  faults: LocalizedText[]
}

export function toReadable(record: StatementAccount, line: number): ReadableAccount {
  const faults: LocalizedText[] = []
  const amounts: Record<string, Amount> = {}
  for (const [code, amount] of Object.entries(record.amounts)) {
    if (plainAmount(amount.text) === null) {
      faults.push(faultAt(line, `the amount ${code} of an account cannot be read.`, `le montant ${code} d’un compte est illisible.`))
      continue
    }
    const isDated = isReadable(record.format, amount.date)
    if (!isDated) faults.push(impossibleDate(line, code))
    amounts[code] = isDated ? amount : { ...amount, date: null }
  }
  const dates: Record<string, string> = {}
  for (const [name, date] of Object.entries(record.dates)) {
    if (isReadable(record.format, date)) dates[name] = date
    else faults.push(impossibleDate(line, name))
  }
  const hasRate = record.rate === null || plainAmount(record.rate.replace('%', '')) !== null
  if (!hasRate)
    faults.push(faultAt(line, 'the interest rate of an account cannot be read.', 'le taux d’intérêt d’un compte est illisible.'))
  if (faults.length === 0) return { record, faults }
  return { record: { ...record, amounts, dates, rate: hasRate ? record.rate : null }, faults }
}

function impossibleDate(line: number, name: string): LocalizedText {
  return faultAt(line, `a date of an account does not exist (${name}).`, `une date d’un compte n’existe pas (${name}).`)
}
