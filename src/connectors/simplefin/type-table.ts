import type { BankAccountKind } from '../../model/records/banking.ts'
import type { TypeTable } from '../contract/type-table.ts'
import { BRANDS, GENERAL, type NamePattern, PRODUCTS, USES } from '../toolkit/names/product-name-patterns.ts'
import { kindOfName } from '../toolkit/names/product-names.ts'

/**
 * Kind derived from the name, since SimpleFIN has no types. A custom currency means points, where the name is
 * ambiguous.
 */
export function kindOf({ name, currency }: { name?: string | null; currency?: string | null }): BankAccountKind {
  const kind = kindOfName(name ?? '')
  if (kind) return kind
  return isAddress(currency) ? { type: 'CreditCards', subType: 'RewardPoints' } : { type: 'Other', subType: 'Unknown' }
}

/** Whether the currency is custom, which is a URL. */
export function isAddress(word: string | null | undefined): boolean {
  return /^https?:\/\//.test(word ?? '') && URL.canParse(word ?? '')
}

const rowOf = (name: string, currency = 'USD') => ({ id: '1', account: { id: '1', name, currency } })

/** Example of each word: `TFSA or CELI` is one row. */
const rowsOf = (group: string, words: readonly NamePattern[]) =>
  words.map(([, , example]) => ({ group, words: { name: example }, means: { wire: rowOf(example) } }))

export const typeTable: TypeTable = {
  rows: [
    ...rowsOf('Products in the name', PRODUCTS),
    ...rowsOf('Uses in the name, where no product stands in it', USES),
    ...rowsOf('Brands in the name, where neither stands in it', BRANDS),
    ...rowsOf('Other words, where nothing else stands in it', GENERAL),
    { group: 'Names that leave doubt', words: { name: 'Zeta' }, means: { wire: rowOf('Zeta') } },
    {
      group: 'Names that leave doubt',
      words: { name: 'Zeta', currency: 'https://…' },
      means: { wire: rowOf('Zeta', 'https://www.example.com/points') },
    },
  ],
  rules: [
    'SimpleFIN has no types: the name decides, in English or French, whatever its capitals and accents. The balance never does.',
    'A debt beside money that is held is a debt where that is what the other word describes (Savings Secured Loan, Prêt REER); else there is doubt.',
    'A card with a word of business in its name is a BusinessCard.',
    'A name that leaves doubt is Unknown and counted, and its balance keeps its sign.',
    'All accounts are ACTIVE: closed ones are no longer listed.',
  ],
}
