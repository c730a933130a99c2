import type { Random } from '../simulation/random.ts'

/** Account as its bank keeps it. */
export interface TrueAccount {
  key: string
  bank: Bank
  number: string
  kind: 'checking' | 'savings' | 'card'
  name: string
  /** Minor units by day, newest last; positive when money comes in. */
  movements: TrueMovement[]
  /** Minor units at the end. */
  balance: number
}

export interface TrueMovement {
  id: string
  day: number
  amount: number
  payee: string
  /** What the bank wrote on the statement. */
  text: string
}

export interface Bank {
  routing: string
  /** As the sources write it. */
  names: readonly string[]
}

export const BANKS: readonly Bank[] = [
  { routing: '021000021', names: ['Chase', 'Chase Bank', 'JPMorgan Chase'] },
  { routing: '026009593', names: ['Bank of America', 'Bank of America, N.A.'] },
  { routing: '000300002', names: ['RBC', 'RBC Royal Bank', 'Royal Bank of Canada'] },
  { routing: '000400012', names: ['TD', 'TD Canada Trust', 'TD Bank'] },
  { routing: '000100022', names: ['BMO', 'Bank of Montreal', 'BMO Banque de Montréal'] },
  { routing: '000200032', names: ['Scotiabank', 'Bank of Nova Scotia'] },
  { routing: '091000019', names: ['Wells Fargo', 'Wells Fargo Bank'] },
  { routing: '211391825', names: ['First Harbor Credit Union', 'First Harbor CU'] },
]

const PAYEES = [
  ...['Walmart', 'Hydro-Québec', 'Bell Canada', 'Amazon', 'Home Depot', 'Petro-Canada', 'Shell', 'Costco', 'Staples', 'FedEx', 'Uber'],
  ...[
    'Rogers',
    'Canada Post',
    'Google Ads',
    'Intuit',
    'Square',
    'Shopify',
    'Stripe Payout',
    'Moneris',
    'Desjardins Insurance',
    'Receiver General',
  ],
]

/** Last day of all histories. */
export const TODAY = Math.floor(Date.parse('2026-11-20') / 86_400_000)
export const YEAR_DAYS = 365

let serial = 0

/** New account of a bank with a year of transactions. */
export function makeAccount(random: Random, bank: Bank, given: Partial<TrueAccount> = {}): TrueAccount {
  serial += 1
  const kind = given.kind ?? random.weighted({ checking: 6, savings: 2, card: 2 })
  const account: TrueAccount = {
    key: String(1_000_000 + serial),
    bank,
    number: given.number ?? makeNumber(random),
    kind,
    name: given.name ?? { checking: 'Business Checking', savings: 'Business Savings', card: 'Business Visa' }[kind],
    movements: given.movements ?? makeMovements(random, kind === 'savings' ? random.pick([12, 20]) : random.pick([25, 80, 160, 300])),
    balance: given.balance ?? 10_000 + random.below(5_000_000),
  }
  return account
}

export function makeNumber(random: Random, ending = String(random.below(10_000)).padStart(4, '0')): string {
  return `${1 + random.below(9)}${String(random.below(100_000)).padStart(5, '0')}${ending}`
}

export function endingOf({ number }: TrueAccount): string {
  return number.slice(-4)
}

/** Transactions of a year: what companies pay and are paid, among them round and repeated amounts. */
export function makeMovements(random: Random, count: number): TrueMovement[] {
  const irregular = Array.from({ length: count }, () => {
    const isRound = random.chance(0.15)
    const size = isRound ? (1 + random.below(40)) * 5_000 : 199 + random.below(400_000)
    return movement(random, TODAY - random.below(YEAR_DAYS), random.chance(0.35) ? size : -size, random.pick(PAYEES))
  })
  const fee = 595 + random.below(2_000)
  const monthly = Array.from({ length: 12 }, (_, month) => movement(random, TODAY - 9 - month * 30, -fee, 'Monthly fee'))
  return [...irregular, ...monthly].sort((a, b) => a.day - b.day)
}

export function movement(random: Random, day: number, amount: number, payee: string): TrueMovement {
  serial += 1
  const text = `${payee.toUpperCase()} ${random.pick(['#', 'NO ', 'REF '])}${1000 + random.below(9000)} ${random.pick(['MONTREAL QC', 'TORONTO ON', 'CHICAGO IL'])}`
  return { id: String(1_000_000 + serial), day, amount, payee, text }
}
