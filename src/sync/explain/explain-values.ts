import { scrub } from '../../model/scrub.ts'
import { maskAccountNumber } from '../../model/values/text.ts'
import type { RawRead } from './explain-reads.ts'

const MASK = '••••'
const MAX_TEXT = 500
/** Names under which sources keep the numbers of accounts and cards. */
const NUMBER_NAME = /(?:account|acct|card|bank)[_ -]?(?:no|nr|num|number)$|^(?:acctid|iban|bban|pan|sin|ssn|account_?numbers?)$/i

/** What decides how much of a raw value may be seen. */
export interface Visibility {
  /** Texts of the published record: whoever reads the explanation reads those too. */
  published: ReadonlySet<string>
  /** Of raw values from which a masked field was made, whatever else they were read for: path → that field's result. */
  masked: ReadonlyMap<string, string>
}

/** Which raw values stand behind masked results; `fields` as the mapping gave them. */
export function maskedPaths(fields: readonly { result: unknown; reads: readonly RawRead[] }[]): Map<string, string> {
  const paths = new Map<string, string>()
  for (const { result, reads } of fields) {
    if (typeof result !== 'string' || !result.startsWith(MASK)) continue
    for (const { path, value } of reads) if (/\d/.test(String(value))) paths.set(path, result)
  }
  return paths
}

/** The raw value as it may be shown: account numbers cut to their last four, secrets and long digits taken out, long texts cut. */
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

/** Sources that give only the end of a number have masked it themselves: then all of that is in the result. */
function maskOnce(text: string, result: string | null): string {
  if (text.startsWith(MASK) || text === '') return text
  return `${MASK}${text}` === result ? result : maskAccountNumber(text)
}

/** With its name before it a value tells more about itself. */
function scrubNamed(name: string, value: string | number): string | number {
  const [shown]: unknown[] = Object.values(JSON.parse(scrub(JSON.stringify({ [name]: value }))))
  return typeof shown === 'string' || typeof shown === 'number' ? shown : MASK
}

/** The last part of a path that is no place in a list. */
function nameOf(path: string): string {
  const names = path.split('/').filter((part) => part !== '' && !/^\d+$/.test(part))
  return (names.at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~')
}
