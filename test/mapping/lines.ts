import { ACCOUNT_CLASSES, ACCOUNT_TYPES, type AccountClass, type AccountType } from '../../src/model/records/accounting.ts'
import type { ChartAccount } from './subject.ts'

/**
 * A handwritten chart: a line for each account, `cell | cell -> CLASS TYPE SUB_TYPE`, the first cell is its name.
 * Values omitted after the type must be empty; a line without an arrow expects nothing.
 */
export function accountsOf(text: string, toWire: (cells: readonly string[], index: number) => unknown): ChartAccount[] {
  return text
    .trim()
    .split('\n')
    .map((line, index) => {
      const [left = '', right] = line.split(' -> ')
      const cells = left.split('|').map((cell) => cell.trim())
      const account = { label: cells.join(' | '), wire: toWire(cells, index + 1) }
      return right === undefined ? account : { ...account, expected: readExpected(right) }
    })
}

function readExpected(text: string): { class: AccountClass; type: AccountType; subType: string } {
  const [classWord, typeWord, subType = ''] = text.trim().split(/\s+/)
  const accountClass = ACCOUNT_CLASSES.find((each) => each === classWord)
  const type = ACCOUNT_TYPES.find((each) => each === typeWord)
  if (!accountClass || !type) throw new Error(`no class and type: ${text}`)
  return { class: accountClass, type, subType }
}

/** Expenses that most providers give a new company, with the expected type and sub type. */
const EXPENSES = [
  ['Advertising', 'EXPENSE MARKETING'],
  ['Bank Fees', 'EXPENSE BANK_FEES'],
  ['Insurance', 'EXPENSE INSURANCE'],
  ['Legal Fees', 'EXPENSE PROFESSIONAL_FEES'],
  ['Accounting Fees', 'EXPENSE PROFESSIONAL_FEES'],
  ['Meals and Entertainment', 'EXPENSE MEALS'],
  ['Office Supplies', 'EXPENSE'],
  ['Postage', 'EXPENSE'],
  ['Rent Expense', 'EXPENSE RENT'],
  ['Repairs and Maintenance', 'EXPENSE'],
  ['Telephone', 'EXPENSE'],
  ['Travel Expense', 'EXPENSE TRAVEL'],
  ['Utilities', 'EXPENSE UTILITIES'],
  ['Salaries and Wages', 'EXPENSE PAYROLL'],
  ['Bad Debt', 'EXPENSE BAD_DEBT'],
] as const

/** These as lines of a chart, whose cells are the name and the source’s word for an expense. */
export function commonExpenses(word: string): string {
  return EXPENSES.map(([name, expected]) => `${name} | ${word} -> EXPENSE ${expected}`).join('\n')
}
