export type Row = { encodedKey: string; [property: string]: unknown }

export interface Holder extends Row {
  id: string
}

export interface State {
  clients: Holder[]
  groups: Holder[]
  /** Accounts, by the key of their holder. */
  deposits: Record<string, Row[]>
  loans: Record<string, Row[]>
  /** Instalments and transactions, by the key of the account. */
  schedules: Record<string, Row[]>
  movements: Record<string, Row[]>
  /** Revoked API keys. */
  revoked: string[]
}

export const KEYS: Readonly<Record<string, { mayRead: boolean }>> = {
  'sandbox-apikey-lecture': { mayRead: true },
  'sandbox-apikey-comptoir': { mayRead: false },
}

/** 32 hexadecimal digits, as at Mambu. */
export function keyOf(kind: number, number: number): string {
  return `8a8e${kind.toString(16).padStart(4, '0')}${'7b1f2c3d4e5f'}${number.toString(16).padStart(12, '0')}`
}

/** Timestamp in the time zone of a bank in Montréal. */
export function at(day: string): string {
  return `${day}T00:00:00-05:00`
}

interface DepositTerms {
  n: number
  name: string
  type: string
  state?: string
  currency?: string
  balance: number
  rate?: number
  overdraft?: number
  maturity?: string
}

const PRODUCT = keyOf(9, 1)

export function openDeposit(holder: Row, terms: DepositTerms): Row {
  return {
    encodedKey: keyOf(2, terms.n),
    id: `CPTE${String(70_012_340 + terms.n * 7)}`,
    name: terms.name,
    accountHolderKey: holder.encodedKey,
    accountHolderType: holder.groupName === undefined ? 'CLIENT' : 'GROUP',
    productTypeKey: PRODUCT,
    accountType: terms.type,
    accountState: terms.state ?? 'ACTIVE',
    currencyCode: terms.currency ?? 'CAD',
    creationDate: '2023-02-01T14:00:00+00:00',
    lastModifiedDate: '2026-06-30T21:14:05+00:00',
    balances: {
      totalBalance: terms.balance,
      availableBalance: Math.max(0, terms.balance + (terms.overdraft ?? 0)),
      lockedBalance: 0,
      holdBalance: 0,
    },
    interestSettings: {
      interestRateSettings: { interestRate: terms.rate ?? 0, interestChargeFrequency: 'ANNUALIZED', interestRateTerms: 'FIXED' },
    },
    overdraftSettings: {
      allowOverdraft: terms.overdraft !== undefined,
      ...(terms.overdraft === undefined ? {} : { overdraftLimit: terms.overdraft }),
    },
    ...(terms.maturity === undefined ? {} : { maturityDate: at(terms.maturity) }),
  }
}

interface LoanTerms {
  n: number
  name: string
  amount: number
  principal: number
  due: number
  rate: number
  every?: string
  state?: string
  subState?: string
  isRevolving?: boolean
}

export function openLoan(holder: Row, terms: LoanTerms): Row {
  return {
    encodedKey: keyOf(3, terms.n),
    id: `PRET${String(50_001_000 + terms.n * 11)}`,
    loanName: terms.name,
    accountHolderKey: holder.encodedKey,
    accountHolderType: holder.groupName === undefined ? 'CLIENT' : 'GROUP',
    productTypeKey: PRODUCT,
    loanAmount: terms.amount,
    accountState: terms.state ?? 'ACTIVE',
    ...(terms.subState === undefined ? {} : { accountSubState: terms.subState }),
    creationDate: '2025-01-10T14:00:00+00:00',
    lastModifiedDate: '2026-06-30T21:14:05+00:00',
    interestSettings: {
      interestRate: terms.rate,
      interestRateSource: 'FIXED_INTEREST_RATE',
      interestChargeFrequency: terms.every ?? 'ANNUALIZED',
    },
    scheduleSettings: { gracePeriod: 0, repaymentScheduleMethod: 'FIXED', repaymentInstallments: 24 },
    balances: {
      principalBalance: terms.principal,
      interestBalance: terms.principal === 0 ? 0 : 125.4,
      feesBalance: 0,
      penaltyBalance: 0,
      principalDue: terms.due,
      interestDue: terms.due === 0 ? 0 : 61.15,
      feesDue: 0,
      penaltyDue: terms.state === 'ACTIVE_IN_ARREARS' ? 15 : 0,
    },
    ...(terms.isRevolving ? { principalPaymentSettings: { method: 'OUTSTANDING_PRINCIPAL_PERCENTAGE', percentage: 3 } } : {}),
  }
}

/** 24 instalments from February 2025; the first `paid` are paid. */
export function scheduleOf(loan: Row, paid: number): Row[] {
  return Array.from({ length: 24 }, (_, index) => {
    const month = String(((index + 1) % 12) + 1).padStart(2, '0')
    const state = index < paid ? 'PAID' : index === paid && loan.accountState === 'ACTIVE_IN_ARREARS' ? 'LATE' : 'PENDING'
    const amount = (expected: number) => ({
      amount: { expected, paid: state === 'PAID' ? expected : 0, due: state === 'LATE' ? expected : 0 },
    })
    return {
      encodedKey: `${loan.encodedKey}-${index + 1}`,
      parentAccountKey: loan.encodedKey,
      number: String(index + 1),
      dueDate: at(`${2025 + Math.floor((index + 1) / 12)}-${month}-28`),
      state,
      principal: amount(1000),
      interest: amount(61.15),
    }
  })
}
