import { scrub } from '../../model/scrub.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import type { RawRead } from './explain-reads.ts'

const MASK = '••••'
const MAX_TEXT = 500
/** Names under which sources store account and card numbers. */
const NUMBER_NAME = /(?:account|acct|card|bank)[_ -]?(?:no|nr|num|number)$|^(?:acctid|iban|bban|pan|sin|ssn|account_?numbers?)$/i

/** Decides how much of a raw value may be shown. */
export interface Visibility {
  /** Texts of the published record: readers of the explanation can read those anyway. */
  published: ReadonlySet<string>
  /** Raw values from which a masked field was derived: path → result of that field. */
  masked: ReadonlyMap<string, string>
}

/** Raw values behind masked results; `fields` as mapped. */
export function maskedPaths(fields: readonly { result: unknown; reads: readonly RawRead[] }[]): Map<string, string> {
  const paths = new Map<string, string>()
  for (const { result, reads } of fields) {
    if (typeof result !== 'string' || !result.startsWith(MASK)) continue
    for (const { path, value } of reads) if (/\d/.test(String(value))) paths.set(path, result)
  }
  return paths
}

/**
 * Raw value for display: account numbers masked to their last four digits, secrets and long digit runs removed, long
 * texts truncated.
 */
export function maskRead(read: RawRead, showing: Visibility): RawRead {
  if (typeof read.value !== 'string' && typeof read.value !== 'number') return read
  return { ...read, value: maskValue(read.value, read.path, showing) }
}

function maskValue(value: string | number, path: string, { published, masked }: Visibility): string | number {
  const text = String(value)
  const behind = masked.get(path)
  if (behind !== undefined) return maskOnce(text, behind)
  if (published.has(text)) return value
  const name = nameOf(path)
  if (NUMBER_NAME.test(name)) return maskOnce(text, null)
  const scrubbed = scrubNamed(name, value)
  return typeof scrubbed === 'string' && scrubbed.length > MAX_TEXT ? `${scrubbed.slice(0, MAX_TEXT)}…` : scrubbed
}

/** Sources that return only the end of a number have masked it themselves: then all of it is in the result. */
function maskOnce(text: string, result: string | null): string {
  if (text.startsWith(MASK)) return text
  return `${MASK}${text}` === result ? result : maskAccountNumber(text)
}

/** Scrubs a value together with its name, which helps to classify it. */
function scrubNamed(name: string, value: string | number): string | number {
  const [shown]: unknown[] = Object.values(JSON.parse(scrub(JSON.stringify({ [name]: value }))))
  return typeof shown === 'string' || typeof shown === 'number' ? shown : MASK
}

/** Last part of a path that is not a list index. */
function nameOf(path: string): string {
  const names = path.split('/').filter((part) => part !== '' && !/^\d+$/.test(part))
  return (names.at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
}
