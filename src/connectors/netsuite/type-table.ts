import type { AccountType } from '../../model/records/accounting.ts'
import { NAMES_RULE, type TypeRule, type TypeTable, type WordRow } from '../contract/type-table.ts'

export interface Refinement {
  type?: AccountType
  subType?: string
}

const RULES: Readonly<Record<string, TypeRule>> = {
  Bank: { class: 'ASSET', type: 'BANK' },
  AcctRec: { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' },
  UnbilledRec: { class: 'ASSET', type: 'ACCOUNTS_RECEIVABLE' },
  OthCurrAsset: { class: 'ASSET', type: 'OTHER_CURRENT_ASSET' },
  DeferExpense: { class: 'ASSET', type: 'PREPAYMENT' },
  FixedAsset: { class: 'ASSET', type: 'FIXED_ASSET' },
  OthAsset: { class: 'ASSET', type: 'OTHER_ASSET' },
  AcctPay: { class: 'LIABILITY', type: 'ACCOUNTS_PAYABLE' },
  CredCard: { class: 'LIABILITY', type: 'CREDIT_CARD' },
  OthCurrLiab: { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY' },
  DeferRevenue: { class: 'LIABILITY', type: 'OTHER_CURRENT_LIABILITY', subType: 'DEFERRED_REVENUE' },
  LongTermLiab: { class: 'LIABILITY', type: 'LONG_TERM_LIABILITY' },
  Equity: { class: 'EQUITY', type: 'EQUITY' },
  Income: { class: 'INCOME', type: 'INCOME' },
  OthIncome: { class: 'INCOME', type: 'OTHER_INCOME' },
  COGS: { class: 'EXPENSE', type: 'COST_OF_GOODS_SOLD' },
  Expense: { class: 'EXPENSE', type: 'EXPENSE' },
  OthExpense: { class: 'EXPENSE', type: 'OTHER_EXPENSE' },
  NonPosting: { class: 'NON_POSTING', type: 'OTHER' },
  Stat: { class: 'NON_POSTING', type: 'OTHER' },
}

/**
 * Refinements by special account (`sspecacct`), by type. A value without a change is known and has no effect. Oracle
 * publishes no list; these have been seen in use.
 */
const SPECIAL: readonly (readonly [words: string, types: string, Refinement])[] = [
  ['InvtAsset InvInTransit InvInTransitExt RtnNotCredit', 'OthCurrAsset', { type: 'INVENTORY' }],
  ['AdvPaid', 'OthCurrAsset', { type: 'PREPAYMENT' }],
  ['UndepFunds', 'OthCurrAsset Bank', { subType: 'UNDEPOSITED_FUNDS' }],
  ['PayrollFloat', 'OthCurrAsset Bank', { subType: 'MONEY_IN_TRANSIT' }],
  ['SalesTaxPay PSTPay Tax TaxLiability', 'OthCurrLiab', { type: 'TAX_LIABILITY', subType: 'SALES_TAX' }],
  ['PayrollLiab PayAdjst CommPay', 'OthCurrLiab', { subType: 'PAYROLL_LIABILITY' }],
  ['CustDep', 'OthCurrLiab', { subType: 'CUSTOMER_DEPOSIT' }],
  ['DeferRevClearing', 'OthCurrLiab DeferRevenue', { subType: 'DEFERRED_REVENUE' }],
  ['RetEarnings', 'Equity', { type: 'RETAINED_EARNINGS' }],
  ['OpeningBalEquity', 'Equity', { subType: 'OPENING_BALANCE_EQUITY' }],
  ['RealizedERV UnrERV MatchingUnrERV FxRateVariance', 'Income OthIncome Expense OthExpense', { subType: 'FX_GAIN_LOSS' }],
  ['RndERV', 'Income OthIncome Expense OthExpense', { subType: 'ROUNDING' }],
  ['PayrollExp PayWage', 'Expense', { subType: 'PAYROLL' }],
  ['PSTExp', 'Expense OthExpense', { subType: 'TAX_EXPENSE' }],
]

const KNOWN_SPECIAL: ReadonlySet<string> = new Set([
  ...SPECIAL.flatMap(([words]) => words.split(' ')),
  ...`AcctRec UnbilledRec CustAuth RefundPay UnappvPymt AcctPay RecvNotBill COGS DeferRevenue DeferExpense CumulTransAdj CTA-E UnappvExpRept
      Opprtnty Estimate SalesOrd PurchOrd PurchReq WorkOrd RtnAuth VendAuth RevArrng TrnfrOrd`.split(/\s+/),
])

const REFINEMENTS: ReadonlyMap<string, Refinement> = new Map(
  SPECIAL.flatMap(([words, types, refinement]) =>
    words.split(' ').flatMap((word) => types.split(' ').map((type) => [`${type}/${word}`, refinement] as const)),
  ),
)

/** Rule of an `accttype`, spelled exactly; null for a value that is not in the table. */
export function findTypeRule(accountType: string): TypeRule | null {
  return Object.hasOwn(RULES, accountType) ? (RULES[accountType] ?? null) : null
}

/**
 * Refinement by a special account under a type; empty where it is known and changes nothing, null where it is unknown.
 */
export function findRefinement(accountType: string, special: string): Refinement | null {
  return REFINEMENTS.get(`${accountType}/${special}`) ?? (KNOWN_SPECIAL.has(special) ? {} : null)
}

function accountRows(group: string, words: readonly Readonly<Record<string, string>>[]): WordRow[] {
  return words.map((each) => ({ group, words: each, means: { wire: { account: each, currency: null } } }))
}

export const typeTable: TypeTable = {
  rows: [
    ...accountRows(
      'accttype',
      Object.keys(RULES).map((accttype) => ({ accttype })),
    ),
    ...accountRows(
      'sspecacct, within some types',
      SPECIAL.flatMap(([words, types]) =>
        words.split(' ').flatMap((sspecacct) => types.split(' ').map((accttype) => ({ accttype, sspecacct }))),
      ),
    ),
    ...accountRows('Summary accounts', [{ issummary: 'T' }]),
    ...accountRows(
      'Status',
      ['F', 'T'].map((isinactive) => ({ isinactive })),
    ).map((row) => ({ ...row, isStatus: true })),
  ],
  rules: [
    'NetSuite has no class of its own: the type decides it.',
    'Oracle publishes no list of special accounts: those of the table are seen in use. One that is known without a row changes nothing, another one is counted besides.',
    'Summary accounts add up their sub-accounts and take no posting.',
    NAMES_RULE,
  ],
}
