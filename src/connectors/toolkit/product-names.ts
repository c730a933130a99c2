import type { BankAccountKind } from '../../model/records/banking.ts'
import { BANK_NAMES, BRANDS, GENERAL, type NamePattern, PRODUCTS, USES } from './product-name-patterns.ts'

/**
 * The kind that the name of a bank account says, in English or French, for sources that tell no kind: words of products decide, then of uses,
 * then of brands. Null is doubt: no known word, or words of a debt beside words of money that is held (`Credit Card Payments Checking`).
 * Nothing but the name is asked, so that the kind never changes with the balance. Accents and capitals mean nothing.
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
 * The kind of an account whose source tells a group of kinds and nothing closer: what its name says, as far as that is of the group; else
 * `other`, and where even that is a doubt `onDoubt` hears the name.
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

/** A name for the count of names that leave doubt: the digits in it tell accounts apart, not products. */
export function nameInDoubt(name: string): string {
  return name.trim().replace(/\d/g, '#').slice(0, 60) || 'no name'
}

/** What is owed is positive; the balance of any other account is positive when it holds money. */
export function isOwed({ type, subType }: BankAccountKind): boolean {
  return type === 'Loans' || (type === 'CreditCards' && subType !== 'RewardPoints') || subType === 'OtherLiability'
}

const MAX_NAME = 200

/** Lower case without accents, signs and the digits of account numbers; words with single blanks between them. */
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

/** In the order of the rows. What one row has read is hidden from those behind it. */
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
/** Two products side by side, neither of which describes the other. */
const BESIDE = /\b(and|with|plus|or|et|avec|ou)\b/
const FRENCH = /\b(pret|prets|emprunt|marge|marges|ligne|hypotheque|hypothecaire|carte|cartes|financement|credit bail)\b/

function decide(found: readonly Found[], text: string): BankAccountKind | null {
  const owed = found.filter(({ kind }) => isOwed(kind))
  const [first] = owed.length > 0 && owed.length < found.length ? (isHead(owed, found, text) ? owed : []) : found
  if (!first) return null
  const isCard = first.kind.subType === 'CreditCard' || first.kind.subType === 'OtherCard'
  return isCard && BUSINESS.test(text) ? { type: 'CreditCards', subType: 'BusinessCard' } : first.kind
}

/** The noun that the others describe stands last in English (`RRSP Loan`), first in French (`Prêt REER`). */
function isHead(owed: readonly Found[], found: readonly Found[], text: string): boolean {
  const held = found.filter((each) => !owed.includes(each))
  const span = text.slice(Math.min(...found.map(({ start }) => start)), Math.max(...found.map(({ end }) => end)))
  if (BESIDE.test(span)) return false
  return owed.some(({ words, start }) => held.every((other) => (FRENCH.test(words) ? start < other.start : start > other.start)))
}
