import type { BankAccountKind } from '../../model/banking.ts'
import type { TypeTable } from '../type-table.ts'

/** In this order: the first that fits decides. SimpleFIN has no types, so the owner's and the bank's words are all there is. */
const WORDS: readonly (readonly [pattern: RegExp, kind: BankAccountKind, example: string])[] = [
  [/\b(heloc|home equity)\b|marge hypoth[ée]caire/i, { type: 'Loans', subType: 'Heloc' }, 'Home Equity Line'],
  [/\bline of credit\b|\bcredit line\b|marge de cr[ée]dit/i, { type: 'Loans', subType: 'LineOfCredit' }, 'Marge de crédit'],
  [/mortgage|hypoth[èe]|hypothécaire/i, { type: 'Loans', subType: 'Mortgage' }, 'Mortgage'],
  [/(auto|car|vehicle|truck) loan|pr[êe]t[ -](auto|v[ée]hicule)/i, { type: 'Loans', subType: 'AutoLoan' }, 'Auto Loan'],
  [/student loan|pr[êe]t [ée]tudiant/i, { type: 'Loans', subType: 'StudentLoan' }, 'Student Loan'],
  [
    /(business|sba|commercial) loan|pr[êe]t (commercial|aux entreprises)/i,
    { type: 'Loans', subType: 'BusinessLoan' },
    'Small Business Loan',
  ],
  [/\bloan\b|\bpr[êe]t\b/i, { type: 'Loans', subType: 'OtherLoan' }, 'Loan'],
  [/reward|points|miles|r[ée]compense/i, { type: 'CreditCards', subType: 'RewardPoints' }, 'Rewards'],
  [/\bprepaid\b|pr[ée]pay[ée]e/i, { type: 'Cash', subType: 'PrepaidDebitCard' }, 'Prepaid Card'],
  [/\bdebit card\b|carte de d[ée]bit/i, { type: 'Cash', subType: 'Checking' }, 'Debit Card'],
  [/business card|carte (d’|d'|de l’)?(affaires|entreprise)/i, { type: 'CreditCards', subType: 'BusinessCard' }, 'Business Card'],
  [
    /credit card|carte de cr[ée]dit|\bvisa\b|master ?card|\bamex\b|american express|\bdiscover\b/i,
    { type: 'CreditCards', subType: 'CreditCard' },
    'Visa',
  ],
  [
    /\b(rrsp|tfsa|resp|fhsa|rrif|lira|reer|celi|reee|celiapp|ferr|cri)\b/i,
    { type: 'Investments', subType: 'RegisteredPlan' },
    'TFSA or CELI',
  ],
  [/\b(401\s?\(?k\)?|403\s?\(?b\)?|ira|sep|roth|retirement)\b|retraite/i, { type: 'Investments', subType: 'Retirement' }, '401k'],
  [/brokerage|invest|courtage|placement/i, { type: 'Investments', subType: 'Brokerage' }, 'Brokerage'],
  [/\b(cd|gic|cpg)\b|certificate|term deposit|d[ée]p[ôo]t à terme/i, { type: 'Cash', subType: 'Cd' }, 'GIC or CPG'],
  [/money market|march[ée] mon[ée]taire/i, { type: 'Cash', subType: 'Mmda' }, 'Money Market'],
  [/\bhsa\b|health savings/i, { type: 'Cash', subType: 'Hsa' }, 'HSA'],
  [/saving|[ée]pargne/i, { type: 'Cash', subType: 'Savings' }, 'Savings'],
  [/check|chequ|ch[èe]que|operating|exploitation|compte courant/i, { type: 'Cash', subType: 'Checking' }, 'Chequing'],
  [/\bcard\b|\bcarte\b/i, { type: 'CreditCards', subType: 'OtherCard' }, 'Card'],
]

/** What the name says; else a debt is a liability of unknown kind and all else is money. */
export function guessKind(name: string, isNegative: boolean): BankAccountKind {
  const found = WORDS.find(([pattern]) => pattern.test(name))
  if (found) return found[1]
  return isNegative ? { type: 'Other', subType: 'OtherLiability' } : { type: 'Cash', subType: 'OtherCash' }
}

const rowOf = (name: string, balance: string) => ({ id: '1', account: { id: '1', name, balance } })

export const typeTable: TypeTable = {
  rows: [
    ...WORDS.map(([, , example]) => ({ group: 'Words in the name', words: { name: example }, means: { wire: rowOf(example, '1') } })),
    { group: 'Other names', words: { balance: 'negative' }, means: { wire: rowOf('Zeta', '-1') } },
    { group: 'Other names', words: { balance: 'positive' }, means: { wire: rowOf('Zeta', '1') } },
  ],
  rules: [
    'SimpleFIN has no types: the first word of the table that stands in the name decides, in English or French, whatever its capitals.',
    'A currency that is an address (points, miles) makes RewardPoints where the name says nothing.',
    'All accounts are ACTIVE: closed ones are no longer listed.',
  ],
}
