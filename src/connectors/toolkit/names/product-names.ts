import type { BankAccountKind } from '../../../model/records/banking.ts'
import { BANK_NAMES, BRANDS, GENERAL, type NamePattern, PRODUCTS, USES } from './product-name-patterns.ts'

/**
 * Kind of a bank account by its name, in English or French, for sources without a kind: products decide, then uses,
 * then brands. Null when in doubt: no known word, or a liability beside an asset (`Credit Card Payments Checking`).
 * Depends only on the name, so that the kind never changes with the balance. Ignores accents and case.
 */
export function kindOfName(name: string): BankAccountKind | null {
  const text = plain(name).replace(BANK_NAMES, ' ').replace(/ +/g, ' ').trim()
  for (const rows of [PRODUCTS, USES, BRANDS, GENERAL]) {
    const found = findAll(rows, text)
    if (found.length > 0) return decide(found, text)
  }
  return null
}

/**
 * Kind of an account whose source reports only a type: by its name, if that is of the type; otherwise `other`, and
 * where even that is doubtful `onDoubt` is called with the name.
 */
export function kindWithin(
  name: string,
  types: ReadonlySet<BankAccountKind['type']> | 'any',
  other: BankAccountKind,
  onDoubt: (word: string) => void,
): BankAccountKind {
  const told = kindOfName(name)
  if (told && (types === 'any' || types.has(told.type))) return told
  if (/^(Other|Unknown)/.test(other.subType)) onDoubt(nameInDoubt(name))
  return other
}

/** Ambiguous name without its digits, for counting: they distinguish accounts, not products. */
export function nameInDoubt(name: string): string {
  return name.trim().replace(/\d/g, '#').slice(0, 60) || 'no name'
}

/** A liability: positive when owed; the balance of any other account is positive when it holds money. */
export function isOwed({ type, subType }: BankAccountKind): boolean {
  return type === 'Loans' || (type === 'CreditCards' && subType !== 'RewardPoints') || subType === 'OtherLiability'
}

const MAX_NAME = 200

/** Lower case without accents, punctuation and the digits of account numbers; words separated by single blanks. */
function plain(name: string): string {
  return name
    .slice(0, MAX_NAME)
    .replace(/[™®©℠]/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/\bx*\d{4,}\b/g, ' ')
}

interface Found {
  kind: BankAccountKind
  words: string
  start: number
  end: number
}

/** In the order of the rows. Text matched by one row is hidden from the following ones. */
function findAll(rows: readonly NamePattern[], text: string): Found[] {
  const found: Found[] = []
  let left = text
  for (const [words, kind] of rows) {
    const match = words.exec(left)
    if (!match) continue
    const [read] = match
    found.push({ kind, words: read, start: match.index, end: match.index + read.length })
    left = `${left.slice(0, match.index)}${'#'.repeat(read.length)}${left.slice(match.index + read.length)}`
  }
  return found
}

const BUSINESS = /\b(business|commercial|corporate|affaires|entreprises?|pme)\b/
/** Conjunctions: two products, neither of which describes the other. */
const BESIDE = /\b(and|with|plus|or|et|avec|ou)\b/
const FRENCH = /\b(pret|prets|emprunt|marge|marges|ligne|hypotheque|hypothecaire|carte|cartes|financement|credit bail)\b/

function decide(found: readonly Found[], text: string): BankAccountKind | null {
  const owed = found.filter(({ kind }) => isOwed(kind))
  const [first] = owed.length > 0 && owed.length < found.length ? (isHead(owed, found, text) ? owed : []) : found
  if (!first) return null
  const isCard = first.kind.subType === 'CreditCard' || first.kind.subType === 'OtherCard'
  return isCard && BUSINESS.test(text) ? { type: 'CreditCards', subType: 'BusinessCard' } : first.kind
}

/** The head noun is last in English (`RRSP Loan`), first in French (`Prêt REER`). */
function isHead(owed: readonly Found[], found: readonly Found[], text: string): boolean {
  const held = found.filter((each) => !owed.includes(each))
  const span = text.slice(Math.min(...found.map(({ start }) => start)), Math.max(...found.map(({ end }) => end)))
  if (BESIDE.test(span)) return false
  return owed.some(({ words, start }) => held.every((other) => (FRENCH.test(words) ? start < other.start : start > other.start)))
}
