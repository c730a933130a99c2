import { between, seededRandom } from '../../kit/random.ts'
import type { Login, StoredAccount } from '../state.ts'
import type { Institution } from './institutions.ts'

type Fields = Record<string, unknown>

interface Template {
  role: string
  type: string
  name: string
  nickname?: string
  segment?: 'business' | 'personal'
  currency?: string
  /** Range of the balance in whole units; amounts owed are negative, as at the source. */
  balance: readonly [number, number]
  status?: string
  detail?(roll: () => number, balance: number, now: number): Fields
}

const DAY = 86_400

/**
 * Bank accounts of a small company. Source of the enum values: AccountType and CustomerAccountDetail of the OpenAPI
 * document
 */
const TEMPLATES: readonly Template[] = [
  {
    role: 'checking',
    type: 'checking',
    name: 'Business Checking',
    nickname: 'Café opérations',
    segment: 'business',
    balance: [8_000, 61_000],
    detail: (_roll, balance) => ({ availableBalanceAmount: balance, periodInterestRate: 0.05 }),
  },
  { role: 'savings', type: 'savings', name: 'Réserve fiscale', segment: 'business', balance: [12_000, 90_000] },
  { role: 'overdrawn', type: 'checking', name: 'Payroll Checking', segment: 'business', balance: [-900, -100] },
  {
    role: 'card',
    type: 'creditCard',
    name: 'Ink Business Card',
    segment: 'business',
    balance: [-7_200, -300],
    detail: (roll, balance, now) => ({
      creditMaxAmount: 15_000,
      creditAvailableAmount: 15_000 + balance,
      currentBalance: -balance,
      paymentMinAmount: between(roll, 25, 90),
      paymentDueDate: now + 12 * DAY,
      statementCloseBalance: -balance,
      interestRate: '15.789%',
    }),
  },
  {
    role: 'line',
    type: 'lineOfCredit',
    name: 'Operating Line',
    segment: 'business',
    balance: [-38_000, -2_000],
    detail: (_roll, balance, now) => ({
      creditMaxAmount: 50_000,
      creditAvailableAmount: 50_000 + balance,
      currentBalance: -balance,
      paymentDueDate: now + 20 * DAY,
      interestRate: '8.25',
    }),
  },
  {
    role: 'mortgage',
    type: 'mortgage',
    name: 'Shop Mortgage',
    segment: 'business',
    balance: [-410_000, -240_000],
    detail: (_roll, balance, now) => ({
      interestRate: '6.125',
      interestRateType: 'fixed',
      initialMlAmount: 520_000,
      initialMlDate: 1_500_000_000,
      principalBalance: -balance,
      originalMaturityDate: 1_960_000_000,
      nextPayment: 3_120.44,
      nextPaymentDate: now + 9 * DAY,
      recurringPaymentAmount: 3_120.44,
      lender: 'Maple & Loon Mortgage Co.',
    }),
  },
  {
    role: 'van',
    type: 'loan',
    name: 'Delivery Van',
    segment: 'business',
    balance: [-31_000, -9_000],
    detail: (_roll, balance, now) => ({
      interestRate: '7.4%',
      initialMlAmount: 42_000,
      principalBalance: -balance,
      nextPayment: 689.12,
      nextPaymentDate: now + 5 * DAY,
      loanTypeDesc: 'Auto Loan',
      collateral: '2023 cargo van',
    }),
  },
  {
    role: 'equipment',
    type: 'loan',
    name: 'Prêt d’équipement',
    segment: 'business',
    balance: [14_000, 58_000],
    detail: (_roll, balance) => ({ interestRate: '9', principalBalance: balance, initialMlAmount: 75_000 }),
  },
  { role: 'studentGroup', type: 'studentLoanGroup', name: 'Student Loans', segment: 'personal', balance: [-21_000, -21_000] },
  { role: 'studentA', type: 'studentLoanAccount', name: 'Student Loan A', segment: 'personal', balance: [-12_000, -12_000] },
  { role: 'studentB', type: 'studentLoanAccount', name: 'Student Loan B', segment: 'personal', balance: [-9_000, -9_000] },
  { role: 'closed', type: 'savings', name: 'Old Savings', segment: 'personal', balance: [0, 0], status: 'CLOSED' },
  { role: 'retirement', type: 'sepIRA', name: 'SEP IRA', segment: 'personal', balance: [30_000, 120_000] },
  { role: 'cad', type: 'moneyMarket', name: 'Compte en dollars canadiens', currency: 'CAD', balance: [2_000, 9_000] },
  { role: 'hologram', type: 'holographicVault', name: 'Vault', balance: [10, 20] },
]

export const ROLES: readonly { role: string; name: string }[] = TEMPLATES.map(({ role, name }) => ({ role, name }))

/** Account type of an account's role; a giant has checking accounts only. */
export function typeOfRole(role: string): string {
  return TEMPLATES.find((template) => template.role === role)?.type ?? 'checking'
}

/** One account as the API shows it. `now` is in seconds. */
export function accountView(login: Login, account: StoredAccount, institution: Institution, now: number): Fields {
  const template = TEMPLATES.find(({ role }) => role === account.role)
  const roll = seededRandom('account', login.institutionId, account.role)
  const [low, high] = template?.balance ?? [1_000, 9_000]
  const balance = between(roll, low * 100, high * 100) / 100
  const number = String(4_000_000_000_000 + between(roll, 0, 999_999_999))
  const read = login.aggregatedAt
  const parent = login.accounts.find(({ role }) => role === 'studentGroup')
  return {
    id: String(account.id),
    number,
    accountNumberDisplay: number.slice(-4),
    realAccountNumberLast4: number.slice(-4),
    name: template?.name ?? `Branch ${account.role}`,
    accountNickname: template?.nickname ?? template?.name ?? `Branch ${account.role}`,
    type: template?.type ?? 'checking',
    status: 'active',
    ...(template?.status ? { financialinstitutionAccountStatus: template.status } : {}),
    customerId: login.customerId,
    institutionId: String(institution.id),
    createdDate: login.createdAt,
    currency: template?.currency ?? institution.currency,
    institutionLoginId: login.id,
    ...(template?.segment ? { marketSegment: template.segment } : {}),
    ...(account.role.startsWith('student') && account.role !== 'studentGroup' && parent ? { parentAccount: String(parent.id) } : {}),
    ...(read === null
      ? { lastUpdatedDate: 0 }
      : {
          balance,
          balanceDate: read,
          aggregationStatusCode: login.statusCode,
          aggregationSuccessDate: read,
          aggregationAttemptDate: read,
          lastUpdatedDate: read,
          detail: { dateAsOf: read, ...template?.detail?.(roll, balance, midnight(now)) },
        }),
    ...account.changes,
  }
}

function midnight(seconds: number): number {
  return Math.floor(seconds / (30 * DAY)) * 30 * DAY
}
