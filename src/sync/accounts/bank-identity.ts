import { toCommonWords } from '../../model/values/institution-names.ts'

/** What is known of the bank that keeps an account. */
export interface BankIdentity {
  /** Names as the source and the directory write them; the code of a bank in a file may be among them. */
  names: readonly string[]
  /** Routing, transit or institution numbers, and BICs. */
  routingNumbers: readonly string[]
  /** Host of the bank's website, without `www.`; null where it is unknown. */
  site: string | null
}

export const UNKNOWN_BANK: BankIdentity = { names: [], routingNumbers: [], site: null }

/** `alike`: the names share a word. `apart`: they share none, which does not mean that the banks are two. */
export type BankLikeness = 'same' | 'alike' | 'apart' | 'unknown'

/** Words that many banks have in their names. */
const COMMON: ReadonlySet<string> = new Set(
  `bank banking credit union trust canada canadian usa us america group financial finance
  services service online web personal business commercial small retail cards card savings national federal first community united states
  association natl fsb fcu cu sandbox demo test`.split(/\s+/),
)

/** Legal forms, which are no part of a name. */
const LEGAL: ReadonlySet<string> = new Set('na n a inc corp corporation co company ltd limited ltee llc sa plc'.split(' '))

/** Short names under which banks are as well known, with the words of the long ones. */
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

/** Whether two accounts lie at one bank: by its numbers, its website, or all words of its name. */
export function compareBanks(one: BankIdentity, other: BankIdentity): BankLikeness {
  if (shareOne(one.routingNumbers.map(toNumber), other.routingNumbers.map(toNumber))) return 'same'
  if (one.site !== null && one.site === other.site) return 'same'
  const pairs = one.names.flatMap((a) => other.names.map((b) => compareNames(a, b)))
  for (const likeness of ['same', 'alike', 'apart'] as const) if (pairs.includes(likeness)) return likeness
  return 'unknown'
}

function compareNames(one: string, other: string): BankLikeness {
  const [a, b] = [toKey(one), toKey(other)]
  if (a.length === 0 || b.length === 0) return 'unknown'
  if (a.join(' ') === b.join(' ')) return 'same'
  const common = a.filter((word) => b.includes(word) && !COMMON.has(word))
  return common.length > 0 ? 'alike' : 'apart'
}

/**
 * Distinguishing words of a name, sorted; all of its words where it has no other. `First National Bank` and `First
 * Community Bank` have none, and are two banks.
 */
function toKey(name: string): string[] {
  const named = toCommonWords(name).filter((word) => !LEGAL.has(word))
  const words = new Set(named.flatMap((word) => (SHORT_NAMES[word] ?? word).split(' ')))
  const telling = [...words].filter((word) => !COMMON.has(word))
  return (telling.length > 0 ? telling : [...words]).sort()
}

/** Number as it is compared: without punctuation and leading zeros. */
function toNumber(text: string): string {
  return text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replace(/^0+/, '')
}

function shareOne(some: readonly string[], others: readonly string[]): boolean {
  return some.some((value) => value !== '' && others.includes(value))
}

/** Whether a text is a routing number or a BIC rather than a name: files often say no more of their bank. */
export function isBankNumber(text: string): boolean {
  return /^\d{8,9}$/.test(text) || /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(text)
}

/** Host of a bank's website; null for none. */
export function toSite(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : null
}
