import type { AccountClass, AccountType } from '../../model/records/accounting.ts'
import { NAMES_RULE, plainRows, type TypeTable } from '../contract/type-table.ts'
import type { AccountWire } from './wire.ts'

export interface Kind {
  accountClass: AccountClass
  type: AccountType
}

const kinds = {
  asset: { accountClass: 'ASSET', type: 'OTHER_ASSET' },
  cash: { accountClass: 'ASSET', type: 'BANK' },
  liability: { accountClass: 'LIABILITY', type: 'OTHER_LIABILITY' },
  equity: { accountClass: 'EQUITY', type: 'EQUITY' },
  revenue: { accountClass: 'INCOME', type: 'INCOME' },
  expense: { accountClass: 'EXPENSE', type: 'EXPENSE' },
} satisfies Record<string, Kind>

/** Source: https://hledger.org/1.25/hledger.html#account-types */
const kindByWord = new Map<string, Kind>([
  ['a', kinds.asset],
  ['asset', kinds.asset],
  ['c', kinds.cash],
  ['cash', kinds.cash],
  ['l', kinds.liability],
  ['liability', kinds.liability],
  ['e', kinds.equity],
  ['equity', kinds.equity],
  ['v', kinds.equity],
  ['conversion', kinds.equity],
  ['r', kinds.revenue],
  ['revenue', kinds.revenue],
  ['x', kinds.expense],
  ['expense', kinds.expense],
])

/**
 * English names that hledger itself recognizes, in its order; names in other languages need a declaration there too.
 */
const kindByName: readonly (readonly [RegExp, Kind])[] = [
  [/^assets?(:.+)?:(cash|bank|che(ck|que?)(ing)?|savings?|current)(:|$)/i, kinds.cash],
  [/^assets?(:|$)/i, kinds.asset],
  [/^(debts?|liabilit(y|ies))(:|$)/i, kinds.liability],
  [/^equity(:|$)/i, kinds.equity],
  [/^(income|revenue)s?(:|$)/i, kinds.revenue],
  [/^expenses?(:|$)/i, kinds.expense],
]

/** Kind by the declared type, else the name, else the class of the related accounts, without its finer type. */
export function findKind(account: AccountWire): Kind | null {
  if (account.type !== null) return toKind(account.type)
  const named = kindByName.find(([pattern]) => pattern.test(account.aname))
  if (named) return named[1]
  const nearby = account.typeNearby === null ? null : toKind(account.typeNearby)
  return nearby === kinds.cash ? kinds.asset : nearby
}

function toKind(word: string): Kind | null {
  return kindByWord.get(word.trim().toLowerCase()) ?? null
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'Declared type, of the account or of its nearest parent',
      [...kindByWord.keys()].map((type) => ({ type })),
      { aname: '' },
    ),
    ...kindByName.map(([pattern, { accountClass, type }]) => ({
      group: 'Name of the account, where no type is declared',
      words: { name: `/${pattern.source}/` },
      means: { class: accountClass, type },
    })),
  ],
  rules: [
    'An account without a declared type and a known name takes the class of the accounts nearby, where all of them agree.',
    'hledger knows no inactive accounts: all are ACTIVE.',
    'The last part of a name speaks before the parts above it; the first part tells the class only.',
    NAMES_RULE,
  ],
}
