import { giantName } from '../../kit/data/giant-names.ts'
import { between, seededRandom } from '../../kit/random.ts'
import { type Context, newGuid } from '../context.ts'
import type { Account } from '../state.ts'
import type { MxInstitution } from './institutions.ts'

interface Template {
  role: string
  name: string
  nameFr?: string
  type: string
  subtype: string | null
  /** Range of the balance in whole units; amounts owed are positive. */
  balance: [number, number] | null
  fields?: Account['fields']
}

/** Bank accounts of a small company, including unusual ones. */
const TEMPLATES: readonly Template[] = [
  {
    role: 'checking',
    name: 'Business Operating',
    nameFr: 'Compte courant entreprise',
    type: 'CHECKING',
    subtype: 'NONE',
    balance: [8_000, 61_000],
  },
  {
    role: 'overdraft',
    name: 'Payroll with overdraft',
    nameFr: 'Paie avec marge de découvert',
    type: 'CHECKING_LINE_OF_CREDIT',
    subtype: 'NONE',
    balance: [-4_000, -500],
    fields: { credit_limit: 10_000, available_credit: 7_250.5 },
  },
  {
    role: 'savings',
    name: 'Reserve',
    nameFr: 'Épargne à intérêt élevé',
    type: 'SAVINGS',
    subtype: 'MONEY_MARKET',
    balance: [15_000, 90_000],
    fields: { apy: 2.35 },
  },
  {
    role: 'certificate',
    name: '18-month certificate',
    nameFr: 'Certificat de placement garanti 18 mois',
    type: 'SAVINGS',
    subtype: 'CERTIFICATE_OF_DEPOSIT',
    balance: [20_000, 40_000],
    fields: { interest_rate: 3.9, started_on: '2026-02-14T12:00:00.000Z', matures_on: '2027-08-14T12:00:00.000Z' },
  },
  {
    role: 'card',
    name: 'Business Card',
    nameFr: 'Carte de crédit Affaires',
    type: 'CREDIT_CARD',
    subtype: 'NONE',
    balance: [700, 6_900],
    fields: {
      ...{ apr: 19.99, credit_limit: 15_000, available_credit: 11_240.33, minimum_payment: 35, statement_balance: 2_104.17 },
      ...{ payment_due_at: '2026-12-08T12:00:00.000Z', last_payment: 640.25, last_payment_at: '2026-11-05T12:00:00.000Z' },
    },
  },
  {
    role: 'line',
    name: 'Operating line',
    nameFr: 'Marge de crédit d’exploitation',
    type: 'LINE_OF_CREDIT',
    subtype: 'NONE',
    balance: [5_000, 30_000],
    fields: { credit_limit: 50_000, available_credit: 22_500, interest_rate: 7.2, day_payment_is_due: 28 },
  },
  {
    role: 'loan',
    name: 'Equipment loan',
    nameFr: 'Prêt pour équipement',
    type: 'LOAN',
    subtype: 'SMALL_BUSINESS',
    balance: [22_000, 80_000],
    fields: {
      ...{ interest_rate: 6.45, loan_amount: 95_000, minimum_payment: 1_842.66, day_payment_is_due: 31 },
      ...{ started_on: '2023-05-31T12:00:00.000Z', matures_on: '2028-05-31T12:00:00.000Z', payoff_balance: 61_003.2 },
    },
  },
  {
    role: 'mortgage',
    name: 'Shop mortgage',
    nameFr: 'Hypothèque du commerce',
    type: 'MORTGAGE',
    subtype: null,
    balance: [210_000, 390_000],
    fields: { interest_rate: 5.14, original_balance: 420_000, minimum_payment: 2_611.08, payment_due_at: '2026-12-01T00:00:00.000Z' },
  },
  { role: 'plan', name: 'Group retirement', nameFr: 'REER collectif', type: 'INVESTMENT', subtype: 'RRSP', balance: [12_000, 70_000] },
  {
    role: 'van',
    name: 'Delivery van',
    nameFr: 'Camionnette de livraison',
    type: 'PROPERTY',
    subtype: 'NONE',
    balance: [9_000, 24_000],
    fields: { property_type: 'VEHICLE' },
  },
  { role: 'greenhouse', name: 'Greenhouse loan', nameFr: 'Prêt serre', type: 'LOAN', subtype: 'GREENHOUSE', balance: [3_000, 9_000] },
  {
    role: 'dollars',
    name: 'US dollar account',
    nameFr: 'Compte en dollars américains',
    type: 'CHECKING',
    subtype: 'NONE',
    balance: [900, 9_000],
    fields: { currency_code: 'USD' },
  },
  {
    role: 'hidden',
    name: 'Petty cash',
    nameFr: 'Petite caisse',
    type: 'CASH',
    subtype: null,
    balance: [50, 400],
    fields: { is_hidden: true },
  },
  {
    role: 'closed',
    name: 'Old chequing',
    nameFr: 'Ancien compte chèques',
    type: 'CHECKING',
    subtype: 'NONE',
    balance: [0, 0],
    fields: { is_closed: true },
  },
  {
    role: 'silent',
    name: 'Insurance',
    nameFr: 'Assurance',
    type: 'INSURANCE',
    subtype: null,
    balance: null,
    fields: { account_number: null },
  },
]

/** Accounts of a login at one bank: the same each time, with new guids. */
export function openAccounts(context: Context, bank: MxInstitution, nowMs: number): Account[] {
  if (bank.size === 'giant') return Array.from({ length: context.giant.accounts }, (_, index) => giantAccount(context, index + 1, nowMs))
  return TEMPLATES.map(({ role, name, nameFr, type, subtype, balance, fields }) => {
    const roll = seededRandom(context.seed, 'mx-account', bank.code, role)
    const cents = balance === null ? null : between(roll, balance[0] * 100, balance[1] * 100)
    const number = `${between(roll, 1_000_000, 9_999_999)}${String(between(roll, 0, 9_999)).padStart(4, '0')}`
    return {
      guid: newGuid(context, 'ACT'),
      role,
      balanceCents: cents,
      updatedAt: nowMs,
      fields: {
        name: bank.country === 'CA' ? (nameFr ?? name) : name,
        type,
        subtype,
        // Some banks return the full number.
        account_number: role === 'savings' ? number : `XXXXXXX${number.slice(-4)}`,
        // Most Canadian banks omit it.
        currency_code: bank.country === 'CA' && role !== 'checking' ? null : bank.country === 'CA' ? 'CAD' : 'USD',
        nickname: role === 'card' ? 'Carte de Zoé' : null,
        available_balance: type === 'CHECKING' && cents !== null ? cents / 100 : null,
        ...fields,
      },
    }
  })
}

function giantAccount(context: Context, n: number, nowMs: number): Account {
  const number = String(n).padStart(8, '0')
  const fields = { name: giantName(n), type: 'CHECKING', subtype: 'NONE', account_number: `XXXX${number.slice(-4)}`, currency_code: 'CAD' }
  return { guid: newGuid(context, 'ACT'), role: `giant${n}`, balanceCents: n * 100, updatedAt: nowMs, fields }
}
