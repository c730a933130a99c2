import { between, pick, seededRandom } from '../../kit/random.ts'
import type { AccountRole, Transaction } from '../state.ts'

/** A generated transaction on the account with that role. */
export interface Movement {
  role: AccountRole
  cents: number
  name: string
  merchant: string | null
  primary: string
  detailed: string
  channel: Transaction['channel']
  /** Listed as pending first, booked two days later. */
  pending: boolean
}

type Words = Pick<Movement, 'name' | 'merchant' | 'primary' | 'detailed' | 'channel'>

const CUSTOMERS = ['Halden Hardware', 'Orlo & Finch Catering', 'Pellwood Dental', 'Studio Marrowfield', 'Tessaly Tours', 'Vinterholm Foods']

const PURCHASES: readonly Words[] = [
  purchase('Tamarack Office Supply', 'GENERAL_MERCHANDISE', 'GENERAL_MERCHANDISE_OFFICE_SUPPLIES', 'online'),
  purchase('Juniper Fuel Stop', 'TRANSPORTATION', 'TRANSPORTATION_GAS', 'in store'),
  purchase('Copperleaf Coffee', 'FOOD_AND_DRINK', 'FOOD_AND_DRINK_COFFEE', 'in store'),
  purchase('Birchline Courier', 'GENERAL_SERVICES', 'GENERAL_SERVICES_POSTAGE_AND_SHIPPING', 'online'),
  purchase('Nimbusworks Hosting', 'GENERAL_SERVICES', 'GENERAL_SERVICES_OTHER_GENERAL_SERVICES', 'online'),
  purchase('Saltmarsh Lumber', 'HOME_IMPROVEMENT', 'HOME_IMPROVEMENT_HARDWARE', 'in store'),
  purchase('The Odd Spoon', 'FOOD_AND_DRINK', 'FOOD_AND_DRINK_RESTAURANT', 'in store'),
]

const RENT = plain('RENT UNIT 4 MARROWFIELD', 'RENT_AND_UTILITIES', 'RENT_AND_UTILITIES_RENT')
const PAYROLL = plain('PAYROLL BATCH', 'GENERAL_SERVICES', 'GENERAL_SERVICES_ACCOUNTING_AND_FINANCIAL_PLANNING')
const CARD_PAYMENT = plain('CARD PAYMENT THANK YOU', 'LOAN_PAYMENTS', 'LOAN_PAYMENTS_CREDIT_CARD_PAYMENT')
const STUDENT_PAYMENT = plain('STUDENT LOAN PAYMENT', 'LOAN_PAYMENTS', 'LOAN_PAYMENTS_STUDENT_LOAN_PAYMENT')
const INTEREST = plain('INTEREST PAID', 'INCOME', 'INCOME_INTEREST_EARNED')
const POWER = {
  ...plain('ISEN POWER & WATER', 'RENT_AND_UTILITIES', 'RENT_AND_UTILITIES_GAS_AND_ELECTRICITY'),
  merchant: 'Isen Power & Water',
}

/** Transactions of one day, deterministic in the seed, login and day. */
export function movementsOf(seed: number, institutionId: string, day: string): Movement[] {
  const roll = seededRandom(seed, 'day', institutionId, day)
  const date = new Date(`${day}T00:00:00Z`)
  return [...routine(date.getUTCDate(), roll), ...sales(date.getUTCDay(), roll), ...purchases(date.getUTCDay(), roll)]
}

function routine(dayOfMonth: number, roll: () => number): Movement[] {
  switch (dayOfMonth) {
    case 1:
      return [booked('checking', 185_000, RENT)]
    case 5: {
      const paid = between(roll, 40_000, 190_000)
      return [booked('checking', paid, CARD_PAYMENT), booked('card', -paid, CARD_PAYMENT)]
    }
    case 12:
      return [booked('checking', between(roll, 14_000, 41_000), POWER)]
    case 15:
    case 28:
      return [booked('checking', between(roll, 520_000, 640_000), PAYROLL)]
    case 20:
      return [booked('checking', 24_750, STUDENT_PAYMENT), booked('student', -24_750, STUDENT_PAYMENT)]
    case 27:
      return [booked('savings', -between(roll, 900, 11_000), INTEREST)]
    default:
      return []
  }
}

function sales(weekday: number, roll: () => number): Movement[] {
  if (weekday === 0 || weekday === 6) return []
  return Array.from({ length: between(roll, 1, 2) }, () => {
    const customer = pick(roll, CUSTOMERS)
    const words = { ...plain(`DEPOSIT ${customer.toUpperCase()}`, 'TRANSFER_IN', 'TRANSFER_IN_DEPOSIT'), merchant: customer }
    return booked('checking', -between(roll, 35_000, 148_000), words)
  })
}

function purchases(weekday: number, roll: () => number): Movement[] {
  return Array.from({ length: weekday === 0 ? 1 : between(roll, 1, 3) }, () => ({
    role: roll() < 0.8 ? ('card' as const) : ('checking' as const),
    cents: between(roll, 425, 31_900),
    ...pick(roll, PURCHASES),
    pending: true,
  }))
}

function booked(role: AccountRole, cents: number, words: Words): Movement {
  return { role, cents, ...words, pending: false }
}

function purchase(merchant: string, primary: string, detailed: string, channel: Transaction['channel']): Words {
  return { name: `POS ${merchant.toUpperCase()}`, merchant, primary, detailed, channel }
}

function plain(name: string, primary: string, detailed: string): Words {
  return { name, merchant: null, primary, detailed, channel: 'other' }
}
