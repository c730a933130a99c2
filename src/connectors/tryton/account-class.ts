import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { debtWords, equitySection, type NameRule, nameRules, resultWords } from './type-words.ts'
import type { AccountWire, TypeWire } from './wire.ts'

export interface FoundClass {
  accountClass: AccountClass
  /** Type name without a known word, counted as unmapped. */
  unknownWord?: string
}

type Side = 'INCOME' | 'EXPENSE'

/** Class by the balance sheet of an account whose type, with its parents, is `typePath`. */
export function findBalanceClass(typePath: readonly TypeWire[]): FoundClass {
  const lines = typePath.filter(({ statement }) => statement === 'balance')
  if (lines.some(({ assets }) => assets)) return { accountClass: 'ASSET' }
  const isOwed = lines.some(({ payable, debt }) => payable || debt)
  const isEquity = lines.map(toPlainName).some((name) => equitySection.test(name) && !debtWords.test(name))
  const name = lines[0]?.name ?? ''
  if (isEquity) return isOwed ? { accountClass: 'UNKNOWN', unknownWord: name } : { accountClass: 'EQUITY' }
  if (isOwed) return { accountClass: 'LIABILITY' }
  const rule = findNameRule(lines, nameRules.funding)
  return rule === null ? { accountClass: 'LIABILITY', unknownWord: name } : { accountClass: rule.accountClass }
}

/** Class by the income statement; where the type has both sides, the class by the chart of accounts. */
export function findResultClass({ typePath, groups = [] }: AccountWire): FoundClass {
  const lines = typePath.filter(({ statement }) => statement === 'income')
  const leaf = lines[0]
  const isTwoSided = Boolean(leaf?.revenue && leaf.expense)
  const side = (isTwoSided ? outermostSide(groups.map(withoutAccents)) : null) ?? sideByNames(lines)
  return side === null ? { accountClass: 'UNKNOWN', unknownWord: leaf?.name ?? '' } : { accountClass: side }
}

/** Sections inside the statement take precedence: its own name (Erträge, Income) may cover both sides. */
function sideByNames(lines: readonly TypeWire[]): Side | null {
  const names = lines.map(toPlainName)
  const whole = outermostSide(names.slice(-1))
  const section = outermostSide(names.slice(0, -1))
  const flagged = lines.map(sideByFlags).find((side) => side !== null) ?? null
  if (whole !== null && section !== null && whole !== section) return flagged
  return section ?? whole ?? flagged
}

function sideByFlags({ revenue, expense }: TypeWire): Side | null {
  if (Boolean(revenue) === Boolean(expense)) return null
  return revenue ? 'INCOME' : 'EXPENSE'
}

function outermostSide(names: readonly string[]): Side | null {
  return names.reduceRight<Side | null>((side, name) => side ?? sideOfName(name), null)
}

/** Side of the first known word; null for a result, and where both sides are named together (charges et produits). */
function sideOfName(name: string): Side | null {
  const income = resultWords.income.exec(name)
  const expense = resultWords.expense.exec(name)
  const phrase = /(erhaltene|abgefuhrte) gewinne/.exec(name)
  if (phrase) return phrase[1] === 'erhaltene' ? 'INCOME' : 'EXPENSE'
  const first = [income, expense].filter((match) => match !== null).sort((a, b) => a.index - b.index)[0]
  if (first === undefined) return null
  const result = resultWords.neither.exec(name)
  if (result && result.index <= first.index) return null
  if (income && expense && areNamedTogether(name, income, expense)) return null
  return first === income ? 'INCOME' : 'EXPENSE'
}

function areNamedTogether(name: string, one: RegExpExecArray, other: RegExpExecArray): boolean {
  const [first, second] = one.index < other.index ? [one, other] : [other, one]
  return /^\p{L}*\s*(and|&|et|und|y|e|en|i|\/|-)\s*(les |des |the |other |autres |sonstige )?$/u.test(
    name.slice(first.index + first[0].length, second.index),
  )
}

/** First matching rule for the type itself, otherwise for its nearest parent; null when no name is known. */
function findNameRule(
  typePath: readonly TypeWire[],
  rules: readonly NameRule[],
  isWanted: (rule: NameRule) => boolean = () => true,
): NameRule | null {
  const wanted = rules.filter(isWanted)
  for (const type of typePath) {
    const name = toPlainName(type)
    const rule = wanted.find(({ pattern }) => pattern.test(name))
    if (rule) return rule
  }
  return null
}

/**
 * Refinement by names of a known class. Except for assets, a rule that yields the default of the class is skipped, so
 * that a parent can refine it.
 */
export function findTypeByName(typePath: readonly TypeWire[], accountClass: AccountClass, plain: AccountType): AccountType {
  const isWanted = (rule: NameRule) => rule.accountClass === accountClass && (accountClass === 'ASSET' || rule.type !== plain)
  return findNameRule(typePath, rulesOf(accountClass), isWanted)?.type ?? plain
}

function rulesOf(accountClass: AccountClass): readonly NameRule[] {
  if (accountClass === 'ASSET') return nameRules.asset
  return accountClass === 'INCOME' || accountClass === 'EXPENSE' ? nameRules.result : nameRules.funding
}

function toPlainName({ name }: TypeWire): string {
  return withoutAccents(name)
}

function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
