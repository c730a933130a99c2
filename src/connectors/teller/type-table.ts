import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'

const OTHER_CASH: BankAccountKind = { type: 'Cash', subType: 'OtherCash' }
const OTHER_CARD: BankAccountKind = { type: 'CreditCards', subType: 'OtherCard' }

/** Source: https://teller.io/docs/api/accounts */
const KINDS: Readonly<Record<string, { table: Readonly<Record<string, BankAccountKind>>; other: BankAccountKind }>> = {
  depository: {
    table: {
      checking: { type: 'Cash', subType: 'Checking' },
      savings: { type: 'Cash', subType: 'Savings' },
      money_market: { type: 'Cash', subType: 'Mmda' },
      certificate_of_deposit: { type: 'Cash', subType: 'Cd' },
      treasury: OTHER_CASH,
      sweep: OTHER_CASH,
    },
    other: OTHER_CASH,
  },
  credit: { table: { credit_card: { type: 'CreditCards', subType: 'CreditCard' } }, other: OTHER_CARD },
}

/**
 * Kind for the values of Teller. `onUnknown` is called with a value that the tables lack; an absent subtype is not
 * reported.
 */
export function toKind(type: string | null, subtype: string | null, onUnknown: (word: string) => void): BankAccountKind {
  const group = type !== null && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined
  const kind = group && subtype !== null && Object.hasOwn(group.table, subtype) ? group.table[subtype] : undefined
  if (kind) return kind
  if (!group || subtype !== null) onUnknown(`${type ?? 'null'}/${subtype ?? 'null'}`)
  return group?.other ?? { type: 'Other', subType: 'Unknown' }
}

export const typeTable: TypeTable = {
  rows: Object.entries(KINDS).flatMap(([type, { table }]) =>
    [null, ...Object.keys(table)].map((subtype) => ({
      group: 'type and subtype',
      words: { type, ...(subtype === null ? {} : { subtype }) },
      means: { wire: { account: { id: '', type, subtype } } },
    })),
  ),
  rules: [
    'A subtype that is not in the table falls into the other kind of its type, a type that is not into Unknown; both are counted.',
    'open is ACTIVE, closed is CLOSED; another word is ACTIVE and counted.',
  ],
}
