import { between, hashHex, seededRandom } from '../../kit/random.ts'
import type { Login, StoredAccount } from '../state.ts'

type Fields = Record<string, unknown>

interface Template {
  role: string
  title: string
  category: string
  type: string | null
  accountType?: 'Business' | 'Personal'
  currency?: string
  /** Range of the current balance in whole units; banks differ in the sign of amounts owed. */
  balance: readonly [number, number]
  limit?: number
  overdraft?: number
  hasNoFour?: boolean
}

/** Bank accounts of a small company. */
const TEMPLATES: readonly Template[] = [
  { role: 'chequing', title: 'Compte d’entreprise', category: 'Operations', type: 'Chequing', balance: [6_000, 48_000], overdraft: 5_000 },
  { role: 'overdrawn', title: 'Payroll Account', category: 'Operations', type: 'Chequing', balance: [-1_900, -100], overdraft: 2_000 },
  { role: 'savings', title: 'Épargne TPS/TVQ', category: 'Operations', type: 'Savings', balance: [9_000, 70_000] },
  {
    role: 'usd',
    title: 'U.S. Dollar Account',
    category: 'Operations',
    type: 'Chequing',
    currency: 'USD',
    balance: [1_000, 12_000],
    hasNoFour: true,
  },
  { role: 'card', title: 'Visa Affaires', category: 'Credits', type: 'CreditCard', balance: [300, 8_800], limit: 15_000 },
  {
    role: 'cardNegative',
    title: 'Mastercard',
    category: 'Credits',
    type: 'CreditCard',
    accountType: 'Personal',
    balance: [-3_900, -200],
    limit: 6_000,
  },
  { role: 'line', title: 'Marge de crédit', category: 'Credits', type: 'LineOfCredit', balance: [2_000, 39_000], limit: 50_000 },
  { role: 'lineUnknown', title: 'Marge de crédit rotative', category: 'Credits', type: 'Unknown', balance: [-9_000, -500], limit: 10_000 },
  { role: 'mortgage', title: 'Prêt hypothécaire', category: 'Products', type: 'Mortgage', balance: [-390_000, -180_000] },
  { role: 'loan', title: 'Prêt à terme', category: 'Credits', type: 'Loan', balance: [12_000, 88_000] },
  { role: 'celi', title: 'CELI', category: 'Products', type: 'TFSA', accountType: 'Personal', balance: [5_000, 60_000] },
  { role: 'gic', title: 'CPG 24 mois', category: 'Products', type: 'GIC', balance: [10_000, 40_000] },
  { role: 'strange', title: 'Portefeuille Métavers', category: 'Hologrammes', type: 'Metaverse', balance: [1, 9] },
]

export const ROLES: readonly string[] = TEMPLATES.map(({ role }) => role)

/** One account as the API shows it, without its transactions. */
export function accountView(login: Login, account: StoredAccount): Fields {
  const template = TEMPLATES.find(({ role }) => role === account.role)
  const roll = seededRandom('flinks-account', login.institutionId, account.role)
  const [low, high] = template?.balance ?? [500, 9_000]
  const current = between(roll, low * 100, high * 100) / 100
  const number = String(1_000_000 + between(roll, 0, 8_999_999))
  const limit = template?.limit ?? null
  const isOperation = (template?.category ?? 'Operations') === 'Operations'
  return {
    EftEligibleRatio: 0,
    ETransferEligibleRatio: 0,
    TransitNumber: '77777',
    InstitutionNumber: '777',
    OverdraftLimit: template?.overdraft ?? 0,
    Title: template?.title ?? `Succursale ${account.role}`,
    AccountNumber: number,
    LastFourDigits: template?.hasNoFour ? null : number.slice(-4),
    Balance: {
      Available: isOperation ? current : limit === null ? null : Math.round((limit - Math.abs(current)) * 100) / 100,
      Current: current,
      Limit: limit,
    },
    Category: template?.category ?? 'Operations',
    Type: template ? template.type : 'Chequing',
    Currency: template?.currency ?? 'CAD',
    Holder: {
      Name: 'Boulangerie Gâteau & Fils inc.',
      Address: {
        CivicAddress: '1275, avenue des Canadiens',
        City: 'Montréal',
        Province: 'QC',
        PostalCode: 'H3B 5E8',
        POBox: null,
        Country: 'CA',
      },
      Email: 'comptes@gateau.example',
      PhoneNumber: '(514) 555-0199',
    },
    AccountType: template?.accountType ?? (login.isBusiness ? 'Business' : 'Personal'),
    Id: account.id,
    ...account.changes,
  }
}

/** An id in GUID format, deterministic in its parts. */
export function toGuid(...parts: (string | number)[]): string {
  const hex = hashHex(32, ...parts)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
