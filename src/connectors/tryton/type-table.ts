import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { flagRows, NAMES_RULE, type TypeTable, type WordRow } from '../contract/type-table.ts'
import { type NameRule, nameRules, resultWords } from './type-words.ts'

/** Example account whose type has these flags set. */
function flagged(statement: string, ...flags: string[]): WordRow {
  const none = { assets: false, receivable: false, stock: false, payable: false, debt: false, revenue: false, expense: false }
  const type = { id: 1, name: '', statement, parent: null, ...none, ...Object.fromEntries(flags.map((flag) => [flag, true])) }
  const wire = { id: 1, type: 1, active: true, closed: false, typePath: [type] }
  return { group: 'Flags of the type', words: { statement, flags: flags.join(', ') }, means: { wire } }
}

function ruleRow(group: string, { pattern, accountClass, type }: NameRule): WordRow {
  return { group, words: { name: `/${pattern.source}/` }, means: { class: accountClass, type } }
}

function sideRow(pattern: RegExp, accountClass: AccountClass, type: AccountType): WordRow {
  return {
    group: 'Names of types in the income statement: the class',
    words: { name: `/${pattern.source}/` },
    means: { class: accountClass, type },
  }
}

export const typeTable: TypeTable = {
  rows: [
    ...[['assets'], ['assets', 'receivable'], ['assets', 'stock'], ['payable'], ['debt']].map((flags) => flagged('balance', ...flags)),
    ...[['revenue'], ['expense'], ['revenue', 'expense']].map((flags) => flagged('income', ...flags)),
    flagged('off-balance'),
    { group: 'View accounts', words: { type: 'none' }, means: { wire: { id: 1, type: null, active: true, closed: false, typePath: [] } } },
    sideRow(resultWords.income, 'INCOME', 'INCOME'),
    sideRow(resultWords.expense, 'EXPENSE', 'EXPENSE'),
    ...Object.entries(nameRules).flatMap(([side, rules]) => rules.map((rule) => ruleRow(`Names of types: ${side}`, rule))),
    ...flagRows('active', (active) => ({ active, closed: false, type: null, typePath: [] })),
  ],
  rules: [
    'The place in the tree of account types decides, as in the balance sheet and the income statement of Tryton. Names are read without accents and in small letters.',
    'Balance sheet: a type with the flag assets, or below one, is an asset. A type below a section of equity is equity. Else the name of the type itself speaks before those of its parents; the flags payable and debt tell a liability. What none of these tells is a liability, and is counted.',
    'Income statement: the name of the outermost section speaks before those inside it, and in a name the first word that is known; the name of the whole statement comes last. A result (profit, résultat, Ergebnis …) and a name with both sides say nothing. Then the flag revenue or expense of the type, else of its nearest parent.',
    'A type with both flags, revenue and expense, holds accounts of both sides: the groups of the chart of accounts above the account decide, outermost first, before the names of the types.',
    'An account of the income statement that nothing tells, or whose statement and section disagree while no flag tells which is right, is UNKNOWN and counted.',
    'An account that is closed, and not only a view, is ARCHIVED.',
    'Fixed assets have no sub type: charts of national laws call what was bought and what was written off of it alike.',
    NAMES_RULE,
  ],
}
