import { giantName } from '../../kit/data/giant-names.ts'
import { between, seededRandom } from '../../kit/random.ts'
import { type Context, newId } from '../context.ts'
import type { Account } from '../state.ts'
import type { Provider } from './institutions.ts'

interface Template {
  role: string
  container: string
  name: string
  nameFr?: string
  type?: string
  /** Field of the balance in the answer, and its range in whole units; amounts owed are positive. */
  balance?: [name: string, low: number, high: number]
  money?: Account['money']
  fields?: Account['fields']
}

/** Bank accounts of a small company: every container that Yodlee has, and edge cases. */
const TEMPLATES: readonly Template[] = [
  {
    role: 'checking',
    container: 'bank',
    name: 'Business Chequing',
    nameFr: 'Compte chèques Affaires',
    type: 'CHECKING',
    balance: ['currentBalance', 7_000, 52_000],
    fields: { classification: 'SMALL_BUSINESS' },
  },
  {
    role: 'savings',
    container: 'bank',
    name: 'Reserve',
    nameFr: 'Épargne',
    type: 'SAVINGS',
    balance: ['currentBalance', 10_000, 80_000],
    fields: { annualPercentageYield: 2.15, userClassification: 'BUSINESS' },
  },
  {
    role: 'certificate',
    container: 'bank',
    name: 'Term deposit',
    nameFr: 'Dépôt à terme',
    type: 'CD',
    balance: ['currentBalance', 20_000, 40_000],
    money: { maturityAmount: 41_250.5 },
    fields: { interestRate: 4.05, maturityDate: '2027-09-30', term: '18 months' },
  },
  {
    ...{
      role: 'card',
      container: 'creditCard',
      name: 'Business card',
      nameFr: 'Carte Affaires',
      type: 'CREDIT',
      balance: ['runningBalance', 600, 7_200],
    },
    money: { totalCreditLine: 20_000, availableCredit: 13_400.2, amountDue: 1_904.11, minimumAmountDue: 57 },
    fields: { apr: 20.99, cashApr: 22.99, dueDate: '2026-12-11', classification: 'CORPORATE', nickname: 'Carte d’Élodie' },
  },
  {
    role: 'points',
    container: 'reward',
    name: 'Travel points',
    nameFr: 'Points voyage',
    type: 'REWARD_POINTS',
    fields: { primaryRewardUnit: 'points' },
  },
  {
    ...{
      role: 'line',
      container: 'loan',
      name: 'Operating line',
      nameFr: 'Marge d’exploitation',
      type: 'LINE_OF_CREDIT',
      balance: ['balance', 4_000, 30_000],
    },
    ...{ money: { totalCreditLimit: 60_000, availableCredit: 38_000 }, fields: { interestRate: 7.2, dueDate: '2026-12-01' } },
  },
  {
    ...{
      role: 'mortgage',
      container: 'loan',
      name: 'Shop mortgage',
      nameFr: 'Prêt hypothécaire',
      type: 'MORTGAGE',
      balance: ['principalBalance', 190_000, 360_000],
    },
    money: { amountDue: 2_411.07, minimumAmountDue: 2_411.07, originalLoanAmount: 400_000, recurringPayment: 2_411.07 },
    fields: {
      interestRate: 5.04,
      dueDate: '2026-12-01',
      maturityDate: '2044-05-01',
      originationDate: '2019-05-01',
      lender: 'Fiducie du Fleuve',
    },
  },
  {
    role: 'van',
    container: 'loan',
    name: 'Van loan',
    nameFr: 'Prêt auto',
    type: 'AUTO_LOAN',
    balance: ['principalBalance', 8_000, 26_000],
    fields: { interestRate: 6.9 },
  },
  {
    role: 'boat',
    container: 'loan',
    name: 'Pontoon loan',
    nameFr: 'Prêt ponton',
    type: 'PONTOON_LOAN',
    balance: ['principalBalance', 2_000, 9_000],
  },
  {
    role: 'tfsa',
    container: 'investment',
    name: 'Tax-free savings',
    nameFr: 'CELI',
    type: 'TAX_FREE_SAVINGS_ACCOUNT_TFSA',
    balance: ['balance', 9_000, 70_000],
    fields: { classification: 'PERSONAL' },
  },
  {
    role: 'life',
    container: 'insurance',
    name: 'Key person life',
    nameFr: 'Assurance vie',
    type: 'LIFE_INSURANCE',
    money: { amountDue: 88.2 },
    fields: { dueDate: '2026-12-15' },
  },
  {
    role: 'house',
    container: 'realEstate',
    name: 'Building',
    nameFr: 'Immeuble',
    type: 'REAL_ESTATE',
    balance: ['balance', 400_000, 700_000],
  },
  { role: 'art', container: 'otherAssets', name: 'Paintings', nameFr: 'Tableaux', type: 'OTHER', balance: ['balance', 1_000, 9_000] },
  {
    role: 'debt',
    container: 'otherLiabilities',
    name: 'Family loan',
    nameFr: 'Prêt familial',
    type: 'OTHER',
    balance: ['balance', 1_000, 9_000],
  },
  {
    role: 'dollars',
    container: 'bank',
    name: 'US dollar account',
    nameFr: 'Compte en dollars US',
    type: 'CHECKING',
    balance: ['currentBalance', 500, 9_000],
    fields: { currency: 'USD' },
  },
  {
    role: 'ending',
    container: 'bank',
    name: 'Old savings',
    nameFr: 'Ancien compte épargne',
    type: 'SAVINGS',
    balance: ['currentBalance', 0, 0],
    fields: { accountStatus: 'TO_BE_CLOSED' },
  },
  {
    role: 'closed',
    container: 'bank',
    name: 'Former account',
    nameFr: 'Compte fermé',
    type: 'CHECKING',
    balance: ['currentBalance', 0, 0],
    fields: { accountStatus: 'CLOSED' },
  },
]

/** Accounts of a login at one bank: the same each time, with new ids. */
export function openAccounts(context: Context, bank: Provider): Account[] {
  if (bank.size === 'giant') return Array.from({ length: context.giant.accounts }, (_, index) => giantAccount(context, index + 1))
  return TEMPLATES.map(({ role, container, name, nameFr, type, balance, money, fields }) => {
    const roll = seededRandom(context.seed, 'yodlee-account', bank.id, role)
    const [place, low, high] = balance ?? []
    const amount = place === undefined ? null : between(roll, (low ?? 0) * 100, (high ?? 0) * 100) / 100
    const number = `${between(roll, 1_000_000, 9_999_999)}${String(between(roll, 0, 9_999)).padStart(4, '0')}`
    const { currency = bank.country === 'CA' ? 'CAD' : 'USD', ...rest } = fields ?? {}
    return {
      id: newId(context),
      role,
      container,
      currency: String(currency),
      money: { ...(place === undefined || amount === null ? {} : { balance: amount, [place]: amount }), ...money },
      fields: {
        accountName: bank.country === 'CA' ? (nameFr ?? name) : name,
        accountStatus: 'ACTIVE',
        // Some banks show the full number.
        accountNumber: role === 'savings' ? `354-${number}` : `xxxx${number.slice(-4)}`,
        ...(type === undefined ? {} : { accountType: type }),
        isAsset: container === 'bank' || container === 'investment' || container === 'realEstate' || container === 'otherAssets',
        ...rest,
      },
    }
  })
}

function giantAccount(context: Context, n: number): Account {
  const fields = {
    accountName: giantName(n),
    accountStatus: 'ACTIVE',
    accountNumber: `xxxx${String(n).padStart(4, '0').slice(-4)}`,
    accountType: 'CHECKING',
    isAsset: true,
  }
  return { id: newId(context), role: `giant${n}`, container: 'bank', currency: 'CAD', money: { balance: n, currentBalance: n }, fields }
}
