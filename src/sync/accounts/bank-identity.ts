import { toCommonWords } from '../../model/values/institution-names.ts'

/** Known facts about the bank that keeps an account. */
export interface BankIdentity {
  /** Names as the source and the directory write them; in a file, one may be the code of a bank. */
  names: readonly string[]
  /** Routing, transit or institution numbers, and BICs. */
  routingNumbers: readonly string[]
  /** Host of the bank's website, without `www.`; null if unknown. */
  site: string | null
}

export const UNKNOWN_BANK: BankIdentity = { names: [], routingNumbers: [], site: null }

/** `alike`: the names share a word. `apart`: they share none, which does not prove that they are two banks. */
export type BankSimilarity = 'same' | 'alike' | 'apart' | 'unknown'

/** Words that are common in names of banks. */
const COMMON: ReadonlySet<string> = new Set(
  `bank banking credit union trust canada canadian usa us america group financial finance
  services service online web personal business commercial small retail cards card savings national federal first community united states
  association natl fsb fcu cu sandbox demo test`.split(/\s+/),
)

/** Legal forms, ignored in names. */
const LEGAL: ReadonlySet<string> = new Set('na n a inc corp corporation co company ltd limited ltee llc sa plc'.split(' '))

/** Common abbreviations of banks, with the words of their full names. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  bmo: 'montreal',
  rbc: 'royal',
  td: 'toronto dominion',
  cibc: 'imperial commerce',
  bnc: 'national',
  nbc: 'national',
  scotiabank: 'nova scotia',
  scotia: 'nova scotia',
  boa: 'america',
  bofa: 'america',
}

/** Whether two accounts are at the same bank: by its numbers, its website, or all words of its name. */
export function compareBanks(one: BankIdentity, other: BankIdentity): BankSimilarity {
  if (shareOne(one.routingNumbers.map(toPlainNumber), other.routingNumbers.map(toPlainNumber))) return 'same'
  if (one.site !== null && one.site === other.site) return 'same'
  const pairs = one.names.flatMap((a) => other.names.map((b) => compareNames(a, b)))
  for (const likeness of ['same', 'alike', 'apart'] as const) if (pairs.includes(likeness)) return likeness
  return 'unknown'
}

function compareNames(one: string, other: string): BankSimilarity {
  const [a, b] = [toKey(one), toKey(other)]
  if (a.length === 0 || b.length === 0) return 'unknown'
  if (a.join(' ') === b.join(' ')) return 'same'
  const common = a.filter((word) => b.includes(word) && !COMMON.has(word))
  return common.length > 0 ? 'alike' : 'apart'
}

/**
 * Distinguishing words of a name, sorted; all of its words if none is distinguishing. `First National Bank` and `First
 * Community Bank` have none, and are two banks.
 */
function toKey(name: string): string[] {
  const named = toCommonWords(name).filter((word) => !LEGAL.has(word))
  const words = new Set(named.flatMap((word) => (SHORT_NAMES[word] ?? word).split(' ')))
  const telling = [...words].filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : [...words]).sort()
}

/** Normalizes a number for comparison: without punctuation and leading zeros. */
export function toPlainNumber(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/^0+/, '')
}

function shareOne(some: readonly string[], others: readonly string[]): boolean {
  return some.some((value) => value !== '' && others.includes(value))
}

/** Whether a text is a routing number or a BIC rather than a name: files often identify their bank only by this. */
export function isBankNumber(text: string): boolean {
  return /^\d{8,9}$/.test(text) || /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text)
}

/** Host of a bank's website; null if there is none. */
export function toSite(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : null
}
