import type { LocalizedText } from '../../../model/text.ts'
import { faultAt } from '../refusal.ts'

/** What a trailer says and what was found, in the unit of the trailer (minor units, records, accounts, groups). */
interface Check {
  stated: string | undefined
  found: bigint
  en: string
  french: string
}

/** A whole number with an optional sign; null for anything else. */
export function wholeNumber(text: string | undefined): bigint | null {
  const trimmed = text?.trim() ?? ''
  return /^[+-]?\d{1,30}$/.test(trimmed) ? BigInt(trimmed) : null
}

/** First figure of a trailer that does not agree with the file. The first one must be there; blank ones after it are not checked. */
export function trailerFault(line: number, record: string, checks: readonly Check[]): LocalizedText | null {
  for (const [index, { stated, found, en, french }] of checks.entries()) {
    if (index > 0 && (stated === undefined || stated.trim() === '')) continue
    const figure = wholeNumber(stated)
    if (figure === found) continue
    const said = figure === null ? '?' : String(figure)
    return faultAt(
      line,
      `${en} in record ${record} is ${said}, but the records above give ${found}.`,
      `${french} de l’enregistrement ${record} est ${said}, mais les enregistrements qui précèdent donnent ${found}.`,
    )
  }
  return null
}
