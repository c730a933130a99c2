import { type BankIdentity, type BankSimilarity, compareBanks, toPlainNumber } from './bank-identity.ts'
import { compareMovements, type Movements, type Overlap } from './compare-movements.ts'

/** Account of one source, with its distinguishing features. */
export interface AccountEvidence {
  bank: BankIdentity
  /** Last letters or digits of the number; empty if unknown. */
  ending: string
  /** Full numbers as the source writes them; compared in memory and never stored. */
  numbers: readonly string[]
  currency: string
  type: string
  subType: string
  balance: string | null
  /** Milliseconds since the epoch; null without a balance. */
  balanceAt: number | null
  movements: Movements | null
}

export type ReasonCode = 'sameNumber' | 'sameEnding' | 'sameBank' | 'sameBalance' | 'sameTransactions'

/** Reasons for a match, strongest first. */
export interface Reason {
  code: ReasonCode
  /** For transactions: number of pairs, number of transactions, and the common period in days since 1970-01-01. */
  overlap?: Pick<Overlap, 'matched' | 'fewer' | 'from' | 'until'>
}

const HOUR_MS = 3_600_000
/** Two sources read the bank at different times; an unchanged balance is still evidence. */
const SAME_TIME_MS = 72 * HOUR_MS
/** A shorter number is not an account number, or only a part of one. */
const MIN_NUMBER = 6
/** A shorter number may also exist at another branch of the bank. */
const MIN_UNIQUE_NUMBER = 8
const MIN_ENDING = 3

/**
 * Reason why accounts of two sources are the same; null if they differ or it is uncertain. Precision comes first: an
 * equal ending at the same bank is not enough.
 */
export function findReasons(one: AccountEvidence, other: AccountEvidence): readonly Reason[] | null {
  const bank = compareBanks(one.bank, other.bank)
  const kind = compareKinds(one, other)
  const number = compareNumbers(one.numbers, other.numbers)
  const ending = compareEndings(one, other)
  if (isOther(one.currency, other.currency) || kind === 'other' || number === 'other' || ending === 'other') return null
  if (number === 'same' && (bank === 'same' || bank === 'alike')) return same([{ code: 'sameNumber' }], bank)
  if (isIban(one, other)) return same([{ code: 'sameNumber' }], bank)
  const overlap = one.movements && other.movements && compareMovements(one.movements, other.movements)
  // Number of six digits or more, and nothing else contradicts it.
  if (number === 'same' && kind === 'same' && bank === 'unknown' && overlap?.share === 1 && overlap.telling >= 1)
    return same([{ code: 'sameNumber' }, toReason(overlap)], bank)
  const reasons: Reason[] = ending === 'same' ? [{ code: 'sameEnding' }] : []
  if (overlap && isConvincing(overlap, { bank, kind, ending })) return same([toReason(overlap), ...reasons], bank)
  const isAlike = bank === 'same' && kind === 'same' && isSameBalance(one, other)
  if (isAlike && ending === 'same' && (overlap === null || overlap.share === 1)) return same([{ code: 'sameBalance' }, ...reasons], bank)
  if (isAlike && overlap && isSupporting(overlap)) return same([{ code: 'sameBalance' }, toReason(overlap)], bank)
  return null
}

function same(reasons: readonly Reason[], bank: BankSimilarity): readonly Reason[] {
  return bank === 'same' ? [...reasons, { code: 'sameBank' }] : reasons
}

function toReason({ matched, fewer, from, until }: Overlap): Reason {
  return { code: 'sameTransactions', overlap: { matched, fewer, from, until } }
}

type Similarity = 'same' | 'unknown' | 'other'

interface Similarities {
  bank: BankSimilarity
  kind: Similarity
  ending: Similarity
}

/** Transactions that two accounts must have in common; `telling` and `amounts` are numbers of different amounts. */
type Needed = Partial<Pick<Overlap, 'matched' | 'amounts' | 'telling'>>

/** Required if some transactions have no partner, and if all have one. */
interface Enough {
  most: readonly Needed[]
  all: Needed
}

/** Ending of the number, bank and kind agree. */
const ALL_KNOWN: Enough = {
  most: [
    { matched: 3, telling: 3 },
    { matched: 6, amounts: 3 },
  ],
  all: { telling: 2 },
}
/** The ending of the number agrees, and nothing contradicts the bank. */
const ENDING_KNOWN: Enough = {
  most: [
    { matched: 5, telling: 4 },
    { matched: 8, amounts: 5 },
  ],
  all: { matched: 4, telling: 3 },
}
/** Bank and kind agree, and one of the two has no number. */
const BANK_KNOWN: Enough = { most: [{ matched: 12, amounts: 8 }], all: { matched: 5, telling: 4 } }
const LITTLE_KNOWN: Enough = { most: [{ matched: 12, amounts: 8 }], all: { matched: 8, telling: 6 } }

/** Required transactions: more if less else is known, fewer if each has a partner on the other side. */
function isConvincing(overlap: Overlap, known: Similarities): boolean {
  const enough = enoughOf(known)
  if (enough === null || !agrees(overlap)) return false
  return enough.most.some((needed) => isReached(overlap, needed)) || (overlap.share === 1 && isReached(overlap, enough.all))
}

function enoughOf({ bank, kind, ending }: Similarities): Enough | null {
  if (ending === 'same' && kind === 'same' && bank === 'same') return ALL_KNOWN
  if (ending === 'same' && bank !== 'apart') return ENDING_KNOWN
  if (kind === 'same' && bank === 'same') return BANK_KNOWN
  return ending === 'same' || (kind === 'same' && bank !== 'apart') ? LITTLE_KNOWN : null
}

function isReached(overlap: Overlap, { matched = 0, amounts = 0, telling = 0 }: Needed): boolean {
  return overlap.matched >= matched && overlap.amounts >= amounts && overlap.telling >= telling
}

/** Enough together with an equal balance. */
function isSupporting(overlap: Overlap): boolean {
  return overlap.matched >= 3 && overlap.amounts >= 3 && agrees(overlap)
}

function agrees({ share, alikeTexts }: Overlap): boolean {
  return share >= 0.85 && alikeTexts >= 0.3
}

/**
 * Whether the kinds are compatible. Sources name them differently: `Savings` and `Mmda` may be one account, `Checking`
 * and `Savings` are not, and assets are never liabilities.
 */
function compareKinds(one: AccountEvidence, other: AccountEvidence): Similarity {
  if (isUnclear(one) || isUnclear(other)) return 'unknown'
  if (one.type !== other.type) return OWED.has(one.type) && OWED.has(other.type) ? 'unknown' : 'other'
  const pair = [one.subType, other.subType]
  if (pair.includes('Checking') && pair.some((subType) => SAVED.has(subType))) return 'other'
  return 'same'
}

const OWED: ReadonlySet<string> = new Set(['CreditCards', 'Loans'])
const SAVED: ReadonlySet<string> = new Set(['Savings', 'Cd', 'Mmda'])

function isUnclear({ type, subType }: AccountEvidence): boolean {
  return type === '' || (type === 'Other' && subType === 'Unknown')
}

/** An account number may stand alone, or after the numbers of branch and bank. */
function compareNumbers(some: readonly string[], others: readonly string[]): Similarity {
  const [a, b] = [toNumbers(some), toNumbers(others)]
  if (a.length === 0 || b.length === 0) return 'unknown'
  const pairs = a.flatMap((one) => b.map((other) => [one, other] as const))
  if (pairs.some(([one, other]) => one === other && one.length >= MIN_UNIQUE_NUMBER)) return 'same'
  return pairs.some(([one, other]) => one.endsWith(other) || other.endsWith(one)) ? 'unknown' : 'other'
}

function toNumbers(list: readonly string[]): string[] {
  return list.map(toPlainNumber).filter((number) => number.length >= MIN_NUMBER)
}

/** An IBAN identifies its bank too. */
function isIban(one: AccountEvidence, other: AccountEvidence): boolean {
  const ibans = new Set(one.numbers.map(toPlainNumber).filter((number) => /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(number)))
  return other.numbers.some((number) => ibans.has(toPlainNumber(number)))
}

/**
 * Different endings contradict a match more often than equal ones support it: a hundred accounts of a bank share four
 * digits.
 */
function compareEndings(one: AccountEvidence, other: AccountEvidence): Similarity {
  const length = Math.min(one.ending.length, other.ending.length)
  if (length === 0) return 'unknown'
  if (one.ending.slice(-length).toUpperCase() !== other.ending.slice(-length).toUpperCase()) return 'other'
  return length >= MIN_ENDING ? 'same' : 'unknown'
}

/** Equal balance to the cent at the same time; zero and round amounts are no evidence. */
function isSameBalance(one: AccountEvidence, other: AccountEvidence): boolean {
  if (one.balance === null || one.balance !== other.balance || one.balanceAt === null || other.balanceAt === null) return false
  return Math.abs(one.balanceAt - other.balanceAt) <= SAME_TIME_MS && isTelling(one.balance)
}

/** At least five digits, including non-zero cents. */
function isTelling(amount: string): boolean {
  return /\.\d{1,2}$/.test(amount) && amount.replace(/\D/g, '').replace(/^0+/, '').length >= 5
}

function isOther(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other
}
