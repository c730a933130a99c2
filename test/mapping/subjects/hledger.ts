import { accountsOf } from '../lines.ts'
import type { MappingSubject } from '../subject.ts'

/** Names that hledger recognizes by itself, and declared ones: name | declared type. */
const CHART = `
assets:bank:checking -> ASSET BANK CHECKING
assets:cash -> ASSET BANK
assets:receivable -> ASSET OTHER_ASSET
assets:fixed:equipment -> ASSET OTHER_ASSET
assets:bank:savings -> ASSET BANK SAVINGS
assets:bank:savings:rainy day -> ASSET BANK SAVINGS
assets:investments -> ASSET OTHER_ASSET INVESTMENT
liabilities:credit card -> LIABILITY OTHER_LIABILITY
debts:mortgage -> LIABILITY OTHER_LIABILITY LOAN
equity:opening balances -> EQUITY EQUITY OPENING_BALANCE_EQUITY
income:sales -> INCOME INCOME SALES
income:interest -> INCOME OTHER_INCOME INTEREST_INCOME
revenues:consulting -> INCOME INCOME
expenses:rent -> EXPENSE EXPENSE RENT
expenses:depreciation -> EXPENSE DEPRECIATION
expenses:travel:taxi -> EXPENSE EXPENSE TRAVEL
expenses:food -> EXPENSE EXPENSE
expenses:insurance:car -> EXPENSE EXPENSE INSURANCE
actifs:encaisse | Cash -> ASSET BANK
passifs:marge de crédit | L -> LIABILITY OTHER_LIABILITY LINE_OF_CREDIT
dépenses:loyer | X -> EXPENSE EXPENSE RENT
`

function toWire([aname = '', type]: readonly string[]): unknown {
  return { aname, type: type ?? null, typeNearby: null, commodity: 'CAD' }
}

export const subject: MappingSubject = {
  charts: [
    {
      name: 'names that it knows',
      read: () => accountsOf(CHART, toWire),
      floors: { accounts: 20, class: 20, type: 20, subType: 13, unknownWords: 0 },
    },
  ],
}
