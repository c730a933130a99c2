/** A user of the bank. */
export interface Person {
  /** Value of `login=` on the bank's page. */
  key: string
  id: string
  name: string
  email: string
}

export const PEOPLE: readonly [Person, ...Person[]] = [
  { key: 'maren', id: '5b7c1f0e-6a51-4c7e-9d0a-2f6f3a9b1101', name: 'Maren O’Dell', email: 'maren@prairierosebakery.example' },
  { key: 'jose', id: '8d02c6ab-0f4d-4f5e-8c11-7f0a4b2c2202', name: 'José Núñez-Peña', email: 'jose@nunezdrywall.example' },
  { key: 'load', id: 'c1f7a0d2-3b8e-4d6a-9e21-0a1b2c3d4404', name: 'Load Test', email: 'load@example.com' },
  { key: 'nobody', id: 'f00dcafe-1111-4222-8333-944455556606', name: 'Nobody Yet', email: 'nobody@example.com' },
]

const BANK = { id: '899f4398-0000-4a72-9346-778076000001', name: 'Garden Valley Bank (simulated)' }
const ELSEWHERE = { id: '11aa22bb-0000-4a72-9346-778076000002', name: 'Northern Plains Credit Union (simulated)' }

/** An account as the API shows it, without properties that change over time. */
export type Account = Record<string, unknown> & { id: string }

export function accountsOf(person: Person, giantAccounts: number): Account[] {
  if (person.key === 'maren') return BAKERY
  if (person.key === 'jose') return DRYWALL
  if (person.key !== 'load') return []
  return Array.from({ length: giantAccounts }, (_, index) => ({
    ...deposit(
      `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      `Sub-account ${index + 1}`,
      'Checking',
      '1200.00',
      'x0001',
    ),
  }))
}

function deposit(id: string, name: string, accountSubType: string, balance: string, numbers: string): Account {
  return {
    id,
    name,
    numbers,
    accountStatus: 'Active',
    accountType: 'Deposit',
    accountSubType,
    institution: BANK,
    hidden: false,
    contributesToAggregateTotals: true,
    balance,
    availableBalance: balance,
    routingNumber: '073972181',
    insuredStatus: 'fdicInsured',
  }
}

/** Prairie Rose Bakery LLC, Fargo: every kind of account that a small business may have, and edge cases. */
const BAKERY: Account[] = [
  deposit('a1000000-33d9-4c18-b524-e27890cd0001', 'BUSINESS   CHECKING', 'Checking', '18240.17', 'x4417'),
  deposit('a1000000-33d9-4c18-b524-e27890cd0002', 'Épargne — Réserve Payroll', 'Savings', '52000.00', 'x8820'),
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0003', 'Oven Equipment Loan', 'Loan', '48210.55', 'x0093'),
    accountType: 'Debt',
    accountStatus: 'Past due',
    interestRate: '7.25%',
    principalAmount: '47980.11',
    interestBalance: '230.44',
    paymentDueDate: '2026-12-01T00:00:00Z',
    paymentDueAmount: '1140.20',
    minimumPaymentDue: '1140.20',
    originationDate: '2023-12-01',
    payoffBalance: '48301.00',
  },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0004', 'Working Capital Line', 'Line of Credit', '12500.00', 'x7781'),
    accountType: 'Line of Credit',
    creditLimit: '50000.00',
    availableCredit: '37500.00',
    interestRate: '9.5',
    paymentDueDate: '2026-12-05',
    paymentDueAmount: '310.00',
    minimumPaymentDue: '310.00',
  },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0005', 'Visa Business', 'Credit Card', '2130.99', 'x5512'),
    accountType: 'Line of Credit',
    creditLimit: '15000.00',
    availableCredit: '12869.01',
    paymentDueDate: '2026-12-12',
    paymentDueAmount: '2130.99',
    minimumPaymentDue: '45.00',
  },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0006', '18-month certificate', 'Certificate of Deposit', '25000.00', 'x3301'),
    accountStatus: 'Matured',
  },
  { ...deposit('a1000000-33d9-4c18-b524-e27890cd0007', 'Old savings', 'Savings', '12.05', 'x1144'), accountStatus: 'Dormant' },
  { ...deposit('a1000000-33d9-4c18-b524-e27890cd0008', 'Rainy day jar', 'Envelope', '301.77', 'x2210'), accountStatus: 'Under review' },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0009', 'Van loan', 'Auto Loan', '0.00', 'x0071'),
    accountType: 'Debt',
    accountStatus: 'Paid off',
    closedAccountAvailableUntil: '2027-02-01',
  },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0010', 'Tax reserve', 'Savings', '-18.20', 'x6650'),
    institution: ELSEWHERE,
    insuredStatus: 'notApplicable',
  },
  {
    ...deposit('a1000000-33d9-4c18-b524-e27890cd0011', 'Bill Pay', '', '0.00', ''),
    accountType: 'Bill Pay',
    accountSubType: null,
    numbers: null,
  },
]

/** Núñez Drywall, at a credit union where the status is always Unknown. */
const DRYWALL: Account[] = [
  {
    ...deposit('b2000000-33d9-4c18-b524-e27890cd0001', 'Share draft', 'Checking', '-142.30', 'x9001'),
    institution: ELSEWHERE,
    accountStatus: 'Unknown',
  },
  {
    ...deposit('b2000000-33d9-4c18-b524-e27890cd0002', 'Prime share', 'Savings', '5.00', 'x9002'),
    institution: ELSEWHERE,
    accountStatus: 'Unknown',
  },
  {
    ...deposit('b2000000-33d9-4c18-b524-e27890cd0003', 'Hipoteca — shop', 'Mortgage', '210400.00', 'x9003'),
    institution: ELSEWHERE,
    accountStatus: 'Unknown',
    accountType: 'Debt',
    interestRate: '5.875',
    principalAmount: '210400.00',
  },
]
