import type { SimulatedInstitution } from '../../kit/data/institutions.ts'
import { between, hashId, seededRandom } from '../../kit/random.ts'
import type { Account, AccountRole } from '../state.ts'

/** An account that the owner may select in Link, before it has an id. */
export type OfferedAccount = Omit<Account, 'accountId' | 'persistentId'>

interface Template {
  role: AccountRole
  name: string
  officialName: string | null
  type: string
  subtype: string
  holder: Account['holder']
  /** Range of the balance, in whole units of the currency. */
  balance: [number, number]
  limit?: number
}

/**
 * Bank accounts of a small company. Source of the enum values: AccountType and AccountSubtype of Plaid's OpenAPI
 * document.
 */
const TEMPLATES: readonly Template[] = [
  {
    role: 'checking',
    name: 'Business Operating',
    officialName: 'Business Operating Account',
    type: 'depository',
    subtype: 'checking',
    holder: 'business',
    balance: [9_000, 64_000],
  },
  {
    role: 'savings',
    name: 'Reserve',
    officialName: 'Business Reserve Savings',
    type: 'depository',
    subtype: 'savings',
    holder: 'business',
    balance: [15_000, 120_000],
  },
  {
    role: 'card',
    name: 'Business Card',
    officialName: 'Business Cash Back Card',
    type: 'credit',
    subtype: 'credit card',
    holder: 'business',
    balance: [600, 7_400],
    limit: 15_000,
  },
  {
    role: 'line',
    name: 'Operating Line',
    officialName: 'Operating Line of Credit',
    type: 'loan',
    subtype: 'line of credit',
    holder: 'business',
    balance: [5_000, 38_000],
    limit: 50_000,
  },
  {
    role: 'mortgage',
    name: 'Shop Mortgage',
    officialName: null,
    type: 'loan',
    subtype: 'mortgage',
    holder: 'personal',
    balance: [240_000, 410_000],
  },
  {
    role: 'student',
    name: 'Student Loan',
    officialName: 'Consolidated Student Loan',
    type: 'loan',
    subtype: 'student',
    holder: 'personal',
    balance: [8_000, 31_000],
  },
  {
    role: 'business',
    name: 'Equipment Loan',
    officialName: 'Business Equipment Loan',
    type: 'loan',
    subtype: 'business',
    holder: 'business',
    balance: [22_000, 88_000],
  },
]

/** Accounts of a login at one institution, the same each time. */
export function offerAccounts(seed: number, institution: SimulatedInstitution): OfferedAccount[] {
  return TEMPLATES.map((template) => {
    const roll = seededRandom(seed, 'account', institution.id, template.role)
    const currentCents = between(roll, template.balance[0] * 100, template.balance[1] * 100)
    const limitCents = template.limit === undefined ? null : template.limit * 100
    return {
      role: template.role,
      name: template.name,
      officialName: template.officialName,
      mask: String(between(roll, 0, 9_999)).padStart(4, '0'),
      type: template.type,
      subtype: template.subtype,
      holder: template.holder,
      currency: institution.country === 'CA' ? 'CAD' : 'USD',
      currentCents,
      availableCents: toAvailable(template, currentCents, limitCents),
      limitCents,
    }
  })
}

/** Assigns ids to an offered account: new ones for each item, but a stable persistent id. */
export function openAccount(seed: number, institutionId: string, itemNumber: number, offered: OfferedAccount): Account {
  return {
    accountId: hashId(37, seed, 'account-id', itemNumber, offered.role),
    persistentId: hashId(44, seed, 'persistent-id', institutionId, offered.role),
    ...offered,
  }
}

function toAvailable(template: Template, currentCents: number, limitCents: number | null): number | null {
  if (template.type === 'depository') return currentCents
  if (template.type === 'credit' && limitCents !== null) return limitCents - currentCents
  return null
}
