import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

interface Group {
  table: Readonly<Record<string, BankAccountKind>>
  other: BankAccountKind
}

/** Source: https://docs.stripe.com/api/financial_connections/accounts/object */
const GROUPS: Readonly<Record<string, Group>> = {
  cash: {
    table: { checking: { type: 'Cash', subType: 'Checking' }, savings: { type: 'Cash', subType: 'Savings' } },
    other: { type: 'Cash', subType: 'OtherCash' },
  },
  credit: {
    table: {
      credit_card: { type: 'CreditCards', subType: 'CreditCard' },
      line_of_credit: { type: 'Loans', subType: 'LineOfCredit' },
      mortgage: { type: 'Loans', subType: 'Mortgage' },
    },
    other: { type: 'Loans', subType: 'OtherLoan' },
  },
  investment: { table: {}, other: { type: 'Investments', subType: 'OtherInvestment' } },
  other: { table: {}, other: { type: 'Other', subType: 'Unknown' } },
}

/**
 * Kind for the values of Stripe. `onUnknown` is called with a value that the tables lack; `other` and an absent
 * subcategory are not reported.
 */
export function toKind(category: string | null, subcategory: string | null, onUnknown: (word: string) => void): BankAccountKind {
  const group = category !== null && Object.hasOwn(GROUPS, category) ? GROUPS[category] : undefined
  const kind = group && subcategory !== null && Object.hasOwn(group.table, subcategory) ? group.table[subcategory] : undefined
  if (kind) return kind
  if (!group || (subcategory !== null && subcategory !== 'other')) onUnknown(`${category ?? 'null'}/${subcategory ?? 'null'}`)
  return group?.other ?? { type: 'Other', subType: 'Unknown' }
}

export const typeTable: TypeTable = {
  rows: Object.entries(GROUPS).flatMap(([category, { table }]) =>
    ['other', ...Object.keys(table)].map((subcategory) => ({
      group: 'category and subcategory',
      words: { category, subcategory },
      means: { wire: { id: '', institution_name: '', category, subcategory } },
    })),
  ),
  rules: [
    'A subcategory that is not in the table falls into the other kind of its category, a category that is not into Unknown; both are counted.',
    'active is ACTIVE; inactive and disconnected are INACTIVE; another word is ACTIVE and counted.',
  ],
}
