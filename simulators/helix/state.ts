export interface Customer {
  customerId: number
  firstName: string
  lastName: string
  createdDate: string
  isActive: boolean
}

export interface Account {
  customerId: number
  accountId: number
  name: string
  accountNumber: string
  type: string
  status: string
  accountBalance: number
  availableBalance: number
  createdDate: string
  closedDate?: string
  interestApr?: number
  /** Number of transactions. */
  movements: number
}

export interface State {
  customers: Customer[]
  accounts: Account[]
  /** Changed status values, by transaction. */
  statuses: Record<string, string>
  /** Revoked API keys. */
  revoked: string[]
}

/** Secrets by key; the second key is not allowed from this address. */
export const KEYS: Readonly<Record<string, { secret: string; isAllowed: boolean }>> = {
  'sandbox-key-lecture': { secret: 'sandbox-secret-lecture', isAllowed: true },
  'sandbox-key-elsewhere': { secret: 'sandbox-secret-elsewhere', isAllowed: false },
}

export const PROGRAM = 'Lakefront Business Banking'

/** A bakery in Wisconsin, a contractor with an accented name, a customer without accounts, and a large customer. */
export function createState(giantMovements: number): State {
  const open = { createdDate: '2024-03-04T15:20:11.203-05:00', status: 'Open', movements: 0 }
  return {
    customers: [
      { customerId: 1021, firstName: 'Lakefront', lastName: 'Bakery LLC', createdDate: '2024-03-04T15:18:40.117-05:00', isActive: true },
      { customerId: 1044, firstName: 'Núñez', lastName: 'Contracting', createdDate: '2025-01-20T09:02:00.000-05:00', isActive: true },
      { customerId: 1090, firstName: 'New', lastName: 'Comer', createdDate: '2026-06-30T10:00:00.000-04:00', isActive: true },
      { customerId: 1999, firstName: 'Giant', lastName: 'Holdings', createdDate: '2022-01-01T10:00:00.000-05:00', isActive: true },
    ],
    accounts: [
      {
        ...open,
        customerId: 1021,
        accountId: 5001,
        name: 'Operating',
        accountNumber: '410200005001',
        type: 'Checking',
        accountBalance: 18_402.55,
        availableBalance: 17_902.55,
        movements: 70,
      },
      {
        ...open,
        customerId: 1021,
        accountId: 5002,
        name: 'Tax reserve',
        accountNumber: '410200005002',
        type: 'Savings',
        accountBalance: 9_000,
        availableBalance: 9_000,
        interestApr: 2.15,
        movements: 9,
      },
      {
        ...open,
        customerId: 1021,
        accountId: 5003,
        name: 'Crew cards',
        accountNumber: '410200005003',
        type: 'Prepaid',
        accountBalance: 412.08,
        availableBalance: 412.08,
        movements: 14,
      },
      {
        ...open,
        customerId: 1021,
        accountId: 5004,
        name: 'Old checking',
        accountNumber: '410200005004',
        type: 'Checking',
        status: 'Closed',
        accountBalance: 0,
        availableBalance: 0,
        closedDate: '2025-11-30T00:00:00.000-05:00',
        movements: 5,
      },
      {
        ...open,
        customerId: 1021,
        accountId: 5005,
        name: 'Overdrawn',
        accountNumber: '410200005005',
        type: 'Checking',
        status: 'Locked',
        accountBalance: -41.2,
        availableBalance: 0,
        movements: 3,
      },
      {
        ...open,
        customerId: 1044,
        accountId: 5044,
        name: 'Jobs',
        accountNumber: '410200005044',
        type: 'Checking',
        accountBalance: 3_120.4,
        availableBalance: 3_120.4,
        movements: 25,
      },
      {
        ...open,
        customerId: 1999,
        accountId: 5999,
        name: 'Sweep',
        accountNumber: '410200005999',
        type: 'Checking',
        accountBalance: 1,
        availableBalance: 1,
        movements: giantMovements,
      },
    ],
    statuses: {},
    revoked: [],
  }
}

const START = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000
const TEXTS = ['FLOUR CO-OP', '', 'CARD SETTLEMENT', 'Monthly rent', 'PAYROLL']

/** Transaction number `n` of an account, counted from 1: the newest is pending, some were voided or returned. */
export function toMovement({ accountId, customerId, movements }: Account, n: number, statuses: State['statuses']): Record<string, unknown> {
  const transactionId = accountId * 1_000_000 + n
  const day = new Date(START + Math.floor((n * 170) / Math.max(movements, 170)) * DAY_MS).toISOString().slice(0, 10)
  const usual = n === movements ? 'Initiated' : n % 31 === 0 ? 'Voided' : n % 23 === 0 ? 'Returned' : 'Settled'
  const status = statuses[String(transactionId)] ?? usual
  const isCredit = n % 3 !== 0
  return {
    transactionId,
    customerId,
    accountId,
    tag: '',
    createdDate: `${day}T09:15:00.000-05:00`,
    type: isCredit ? 'External Deposit' : 'External Withdrawal',
    typeCode: isCredit ? 'XTD' : 'XTW',
    status,
    amount: Math.round((12.5 + ((n * 7919) % 90_000) / 100) * 100) / 100,
    isCredit,
    ...(status === 'Settled' ? { settledDate: `${day}T17:00:00.000-05:00` } : {}),
    ...(status === 'Voided' ? { voidedDate: `${day}T10:00:00.000-05:00` } : {}),
    ...(status === 'Returned' ? { returnCode: 'R01', settledDate: `${day}T17:00:00.000-05:00` } : {}),
    nachaDescription: TEXTS[n % TEXTS.length],
    friendlyDescription: n % 2 === 0 ? TEXTS[n % TEXTS.length] : '',
  }
}
