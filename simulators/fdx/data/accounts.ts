import { createHash } from 'node:crypto'
import type { Style } from './profiles.ts'

/** An account in the bank's own books; amounts in hundredths, amounts owed are positive. */
export interface Account {
  id: string
  category: Category
  type: string
  product: string
  nickname: string | null
  display: string | null
  status: string
  lineOfBusiness: string | null
  currency: string
  /** Other FDX properties: amounts in hundredths, rates in thousandths of a percent, days, texts, lists. */
  cents: Record<string, number>
  rates: Record<string, number>
  more: Record<string, unknown>
  /** Days between two transactions; null if the account shows none. */
  every: number | null
}

export const CATEGORIES = {
  DEPOSIT_ACCOUNT: 'deposit',
  LOAN_ACCOUNT: 'loan',
  LOC_ACCOUNT: 'loc',
  INVESTMENT_ACCOUNT: 'investment',
  COMMERCIAL_ACCOUNT: 'commercial',
  INSURANCE_ACCOUNT: 'insurance',
  ANNUITY_ACCOUNT: 'annuity',
  DIGITAL_WALLET: 'digitalWallet',
} as const
export type Category = keyof typeof CATEGORIES

export const LOGINS = ['business', 'giant', 'empty'] as const

interface Sketch extends Partial<Omit<Account, 'id'>> {
  category: Category
  type: string
  product: string
}

/** All categories, closed accounts, a foreign currency, an unknown enum value. */
function sketches(style: Style): Sketch[] {
  const isQuebec = style.currency === 'CAD'
  const name = (french: string, english: string) => (isQuebec ? french : english)
  const business = name('Entreprise', 'Business Banking')
  return [
    {
      ...{
        category: 'DEPOSIT_ACCOUNT',
        type: 'CHECKING',
        product: name('Compte chèques Affaires', 'Business Checking'),
        display: '...4821',
      },
      ...{ nickname: name('Opérations – Québec', 'Operations'), lineOfBusiness: business, every: 4 },
      ...{ cents: { currentBalance: 1_845_233, availableBalance: 1_790_012, openingDayBalance: 1_801_000 } },
    },
    {
      ...{
        category: 'DEPOSIT_ACCOUNT',
        type: 'SAVINGS',
        product: name('Épargne à intérêt élevé', 'Business Savings'),
        display: 'xxxxxxxx7702',
      },
      ...{ cents: { currentBalance: 5_000_050, availableBalance: 5_000_050 }, rates: { interestRate: 2_150 }, every: 30 },
    },
    {
      ...{
        category: 'DEPOSIT_ACCOUNT',
        type: 'CHECKING',
        product: name('Compte en dollars US', 'Canadian Dollar Account'),
        display: '9034',
      },
      ...{ currency: isQuebec ? 'USD' : 'CAD', cents: { currentBalance: -12_345, availableBalance: 0 }, status: 'NEGATIVECURRENTBALANCE' },
      ...{ every: 25 },
    },
    {
      ...{ category: 'DEPOSIT_ACCOUNT', type: 'CD', product: name('Dépôt à terme 2 ans', '24-Month CD'), display: '...1180' },
      ...{ cents: { currentBalance: 2_500_000 }, rates: { interestRate: 4_250 }, more: { maturityDate: '2027-09-30', term: 24 } },
    },
    {
      category: 'DEPOSIT_ACCOUNT',
      type: 'CHECKING',
      product: name('Ancien compte', 'Old Checking'),
      status: 'CLOSED',
      cents: { currentBalance: 0 },
    },
    {
      ...{
        category: 'LOAN_ACCOUNT',
        type: 'SMBLOAN',
        product: name('Prêt à l’équipement', 'Equipment Loan'),
        display: '...0007',
        every: 30,
      },
      ...{
        cents: { principalBalance: 8_750_000, originalPrincipal: 12_000_000, nextPaymentAmount: 215_075 },
        rates: { interestRate: 6_990 },
      },
      ...{
        more: { maturityDate: '2030-04-01', nextPaymentDate: '2026-12-01', loanProviderName: name('BDC Équipement', 'Buckeye Leasing') },
      },
    },
    {
      ...{ category: 'LOAN_ACCOUNT', type: 'MORTGAGE', product: name('Hypothèque commerciale', 'Commercial Mortgage'), display: '...5550' },
      ...{ cents: { principalBalance: 41_200_000, escrowBalance: 120_000 }, rates: { interestRate: 5_140 }, status: 'DELINQUENT' },
    },
    {
      ...{
        category: 'LOC_ACCOUNT',
        type: 'LINEOFCREDIT',
        product: name('Marge de crédit', 'Line of Credit'),
        display: '...3344',
        every: 40,
      },
      ...{ cents: { creditLine: 5_000_000, availableCredit: 3_899_999, currentBalance: 1_100_001, principalBalance: 1_100_001 } },
      ...{ rates: { interestRate: 7_450 } },
    },
    {
      ...{
        category: 'LOC_ACCOUNT',
        type: 'CREDITCARD',
        product: name('Carte Affaires Or', 'Business Gold Card'),
        display: 'XXXX-1009',
        every: 3,
      },
      ...{ lineOfBusiness: business, cents: { creditLine: 2_000_000, availableCredit: 1_680_000, currentBalance: 320_000 } },
      ...{ rates: { purchasesApr: 19_990, advancesApr: 22_990 } },
      ...{ more: { bills: [{ totalPaymentDue: 3200, minimumPaymentDue: 64.5, dueDate: '2026-12-15', statementBalance: -3200 }] } },
    },
    {
      ...{
        category: 'INVESTMENT_ACCOUNT',
        type: isQuebec ? 'TAXFREESAVINGSACCOUNT' : 'College Savings',
        product: name('CELI', '529 Plan'),
      },
      ...{ cents: { currentValue: 3_310_245 }, every: 45 },
    },
    {
      ...{
        category: 'COMMERCIAL_ACCOUNT',
        type: 'COMMERCIALDEPOSIT',
        product: name('Compte de paie', 'Payroll Account'),
        display: '...6161',
      },
      ...{ cents: { currentBalance: 640_010 }, every: 14 },
    },
    {
      ...{ category: 'COMMERCIAL_ACCOUNT', type: 'COMMERCIALLINEOFCREDIT', product: name('Crédit d’exploitation', 'Revolving Facility') },
      ...{ cents: { creditLine: 25_000_000, availableCredit: 25_000_000, currentBalance: 0 } },
    },
    {
      category: 'INSURANCE_ACCOUNT',
      type: 'WHOLELIFE',
      product: name('Assurance vie associés', 'Key Person Life'),
      cents: { currentBalance: 150_000 },
    },
    { category: 'ANNUITY_ACCOUNT', type: 'FIXEDANNUITY', product: name('Rente fixe', 'Fixed Annuity'), cents: { currentBalance: 990_000 } },
    {
      category: 'DIGITAL_WALLET',
      type: 'DIGITALWALLET',
      product: name('Portefeuille', 'Wallet'),
      cents: { currentBalance: 4_299 },
      every: 60,
    },
    {
      category: 'DEPOSIT_ACCOUNT',
      type: 'MOONSHOTACCOUNT',
      product: name('Nouveau compte', 'New Account'),
      status: 'PENDINGCLOSE',
      cents: { currentBalance: 1 },
    },
  ]
}

/** Accounts of a login, without its edits. `giantAccounts` applies to the login `giant`. */
export function buildAccounts(style: Style, login: string, institution: string | null, giantAccounts: number): Account[] {
  if (login === 'empty') return []
  const scope = `${style.key}/${institution ?? ''}/${login}`
  if (login === 'business') return sketches(style).map((sketch, place) => toAccount(style, scope, sketch, place))
  return Array.from({ length: giantAccounts }, (_, place) =>
    toAccount(
      style,
      scope,
      { category: 'DEPOSIT_ACCOUNT', type: 'CHECKING', product: `Account ${place + 1}`, cents: { currentBalance: place * 101 }, every: 60 },
      place,
    ),
  )
}

function toAccount(style: Style, scope: string, sketch: Sketch, place: number): Account {
  return {
    ...{
      nickname: null,
      display: null,
      status: 'OPEN',
      lineOfBusiness: null,
      currency: style.currency,
      cents: {},
      rates: {},
      more: {},
      every: null,
    },
    ...sketch,
    id: toOpaqueId('acc', `${scope}/${place}`),
  }
}

export function toOpaqueId(prefix: string, name: string): string {
  return `${prefix}-${createHash('sha256').update(name).digest('hex').slice(0, 20)}`
}
