import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { flagRows, NAMES_RULE, type TypeTable, type WordRow } from '../contract/type-table.ts'

/** Mapping of one category of Business Central, with and without its subcategory. */
interface CategoryRow {
  class: AccountClass
  type: AccountType
  /** Subcategories (separated by `|`, first English, then Danish) and their changes to the mapping. */
  refinements: readonly (readonly [subCategories: string, Refinement])[]
}

export interface Refinement {
  type?: AccountType
  subType?: string
}

/**
 * Category table. Subcategories are free text that a new company has in its own language and may rename: the words are
 * those of the English and the Danish product.
 * Source: codeunit 570 "G/L Account Category Mgt." of the base application
 */
const ROWS: Readonly<Record<string, CategoryRow>> = {
  Assets: {
    class: 'ASSET',
    type: 'OTHER_ASSET',
    refinements: [
      ['Current Assets|Omsætningsaktiver', { type: 'OTHER_CURRENT_ASSET' }],
      ['Cash|Kassebeholdning', { type: 'BANK' }],
      ['Accounts Receivable|Tilgodehavender', { type: 'ACCOUNTS_RECEIVABLE' }],
      ['Prepaid Expenses|Forudbetalte udgifter', { type: 'PREPAYMENT' }],
      ['Inventory|Lager', { type: 'INVENTORY' }],
      ['Fixed Assets|Anlæg', { type: 'FIXED_ASSET' }],
      ['Equipment|Udstyr', { type: 'FIXED_ASSET', subType: 'EQUIPMENT' }],
      ['Accumulated Depreciation|Akkumuleret afskrivning', { type: 'FIXED_ASSET', subType: 'ACCUMULATED_DEPRECIATION' }],
    ],
  },
  Liabilities: {
    class: 'LIABILITY',
    type: 'OTHER_LIABILITY',
    refinements: [
      ['Current Liabilities|Aktuelle passiver', { type: 'OTHER_CURRENT_LIABILITY' }],
      ['Payroll Liabilities|Udestående lønudgifter', { type: 'OTHER_CURRENT_LIABILITY', subType: 'PAYROLL_LIABILITY' }],
      ['Long Term Liabilities|Langfristet gæld', { type: 'LONG_TERM_LIABILITY' }],
    ],
  },
  Equity: {
    class: 'EQUITY',
    type: 'EQUITY',
    refinements: [
      ['Common Stock|Aktier', { subType: 'SHARE_CAPITAL' }],
      ['Retained Earnings|Overført resultat', { type: 'RETAINED_EARNINGS' }],
      ['Distributions to Shareholders|Uddelinger til aktionærer', { subType: 'DIVIDENDS' }],
    ],
  },
  Income: {
    class: 'INCOME',
    type: 'INCOME',
    refinements: [
      ['Income, Services|Indtægter, Service', { subType: 'SERVICES' }],
      ['Income, Product Sales|Indtægter, Produktsalg', { subType: 'SALES' }],
      ['Sales Discounts|Salgsrabatter', { subType: 'DISCOUNTS' }],
      ['Income, Interest|Indtægter, Renter', { type: 'OTHER_INCOME', subType: 'INTEREST_INCOME' }],
      [
        'Income, Jobs|Sales Returns & Allowances|Job Sales Contra|Indtægter, sager|Salgsreturneringer og -nedslag|Modkonto til salg af sager',
        {},
      ],
    ],
  },
  'Cost of Goods Sold': {
    class: 'EXPENSE',
    type: 'COST_OF_GOODS_SOLD',
    refinements: [['Labor|Materials|Discounts Granted|Jobs Cost|Arbejde|Materialer|Afgivne varerabatter|Sagsomkostning', {}]],
  },
  Expense: {
    class: 'EXPENSE',
    type: 'EXPENSE',
    refinements: [
      ['Rent Expense|Lejeudgifter', { subType: 'RENT' }],
      ['Advertising Expense|Reklameudgifter', { subType: 'MARKETING' }],
      ['Interest Expense|Renteudgifter', { subType: 'INTEREST_EXPENSE' }],
      ['Insurance Expense|Forsikringsudgifter', { subType: 'INSURANCE' }],
      ['Payroll Expense|Salaries Expense|Benefits Expense|Lønudgifter|Personaleudgifter', { subType: 'PAYROLL' }],
      ['Utilities Expense|Forsyningsudgifter', { subType: 'UTILITIES' }],
      ['Other Income & Expenses|Andre indtægter og udgifter', { type: 'OTHER_EXPENSE' }],
      ['Tax Expense|Skatteudgifter', { subType: 'TAX_EXPENSE' }],
      ['Travel Expense|Rejseomkostninger', { subType: 'TRAVEL' }],
      ['Bad Debt Expense|Tab på debitorer', { subType: 'BAD_DEBT' }],
      ['Fees Expense|Repairs and Maintenance Expense|Vehicle Expenses|Gebyrudgifter|Reparations- og vedligeholdelsesudgifter|Bildrift', {}],
    ],
  },
}

/** One category with its subcategories indexed for look-up. */
export interface CategoryRule {
  class: AccountClass
  type: AccountType
  /** Changes of a subcategory, empty for the category's own name; null for a value that is not in the table. */
  refine(subCategory: string): Refinement | null
}

const RULES: ReadonlyMap<string, CategoryRule> = new Map(Object.entries(ROWS).map(([name, row]) => [name, toRule(name, row)]))

/** Rule of a category, spelled as in the product; null for a value that is not in the table. */
export function findCategoryRule(category: string): CategoryRule | null {
  return RULES.get(category) ?? null
}

function toRule(name: string, row: CategoryRow): CategoryRule {
  const refinements = new Map<string, Refinement>([[name, {}]])
  for (const [words, refinement] of row.refinements) {
    for (const word of words.split('|')) refinements.set(word, refinement)
  }
  return { class: row.class, type: row.type, refine: (subCategory) => refinements.get(subCategory) ?? null }
}

function accountRows(group: string, words: readonly Readonly<Record<string, string>>[]): WordRow[] {
  return words.map((each) => ({ group, words: each, means: { wire: { account: each, currencyCode: null } } }))
}

export const typeTable: TypeTable = {
  rows: [
    ...accountRows(
      'category and subCategory',
      Object.entries(ROWS).flatMap(([category, row]) => [
        { category },
        ...row.refinements.flatMap(([words]) => words.split('|').map((subCategory) => ({ category, subCategory }))),
      ]),
    ),
    ...accountRows(
      'Rows that shape the printed chart',
      ['Heading', 'Total', 'Begin-Total', 'End-Total'].map((accountType) => ({ accountType })),
    ),
    ...flagRows('blocked', (blocked) => ({ account: { blocked }, currencyCode: null })),
  ],
  rules: [
    'Subcategories are free text, which a new company gets in its own language and may rename; the words are those of the English and the Danish product. Another word is kept, counted, and changes nothing.',
    'Headings and totals hold no money of their own: their class is NON_POSTING, whatever category they carry.',
    NAMES_RULE,
  ],
}
