import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** Names that hledger recognizes by itself, and declared ones: name | declared type. */
const CHART = `
assets:bank:checking -> ASSET BANK
assets:cash -> ASSET BANK
assets:receivable -> ASSET OTHER_ASSET
assets:fixed:equipment -> ASSET OTHER_ASSET
liabilities:credit card -> LIABILITY OTHER_LIABILITY
debts:mortgage -> LIABILITY OTHER_LIABILITY
equity:opening balances -> EQUITY EQUITY
income:sales -> INCOME INCOME
revenues:consulting -> INCOME INCOME
expenses:rent -> EXPENSE EXPENSE
expenses:depreciation -> EXPENSE EXPENSE
actifs:encaisse | Cash -> ASSET BANK
passifs:marge de crédit | L -> LIABILITY OTHER_LIABILITY
dépenses:loyer | X -> EXPENSE EXPENSE
`

function toWire([aname = '', type]: readonly string[]): unknown {
  return { aname, type: type ?? null, typeNearby: null, commodity: 'CAD' }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'names that it knows',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 14, class: 14, type: 14, subType: 0, unknownWords: 0 },
    },
  ],
}
