import type { Day } from './day.ts'

export interface Loan {
  id: number
  clientId: number
  product: string
  principal: number
  rate: number
  months: number
  /** Day of the disbursement; null for an application. */
  start: Day | null
  /** Number of paid instalments. */
  paid: number
  currency: string
  status: [id: number, word: string]
  overpaid?: number
  movements: Record<string, unknown>[]
  /** Properties of the details that a test has changed. */
  edits: Record<string, unknown>
}

type Terms = Omit<Loan, 'movements' | 'status' | 'edits'> & Partial<Pick<Loan, 'status'>>

export function openLoan(terms: Terms): Loan {
  return { status: [300, 'active'], ...terms, movements: [], edits: {} }
}

const cents = (amount: number) => Math.round(amount * 100) / 100

interface Instalment {
  period: number
  dueDate: Day
  principal: number
  interest: number
  complete: boolean
}

function instalments({ principal, rate, months, start, paid }: Loan): Instalment[] {
  if (start === null) return []
  const each = cents(principal / months)
  let left = principal
  return Array.from({ length: months }, (_, index) => {
    const due = index === months - 1 ? cents(left) : each
    const interest = cents((left * rate) / 1200)
    left = cents(left - due)
    return { period: index + 1, dueDate: monthsAfter(start, index + 1), principal: due, interest, complete: index < paid }
  })
}

/** GET /loans/{id} with its schedule. Source: LoansApiResourceSwagger.GetLoansLoanIdResponse */
export function loanDetails(loan: Loan, today: Day): Record<string, unknown> {
  const lines = instalments(loan)
  const open = lines.filter(({ complete }) => !complete)
  const overdue = open.filter(({ dueDate }) => isBefore(dueDate, today))
  const sum = (list: Instalment[], of: (line: Instalment) => number) => cents(list.reduce((total, line) => total + of(line), 0))
  const total = ({ principal, interest }: Instalment) => principal + interest
  return {
    id: loan.id,
    accountNo: accountNo(loan.id),
    status: toStatus('loanStatusType', loan.status),
    clientId: loan.clientId,
    loanProductName: loan.product,
    loanType: { id: 1, code: 'accountType.individual', value: 'Individual' },
    currency: toCurrency(loan.currency),
    principal: loan.principal,
    approvedPrincipal: loan.principal,
    annualInterestRate: loan.rate,
    timeline: {
      submittedOnDate: loan.start ?? today,
      ...(loan.start === null ? {} : { actualDisbursementDate: loan.start, expectedMaturityDate: lines.at(-1)?.dueDate }),
    },
    ...(loan.start === null
      ? {}
      : {
          summary: {
            currency: toCurrency(loan.currency),
            principalDisbursed: loan.principal,
            principalOutstanding: sum(open, (line) => line.principal),
            interestOutstanding: sum(open, (line) => line.interest),
            principalOverdue: sum(overdue, (line) => line.principal),
            interestOverdue: sum(overdue, (line) => line.interest),
            totalOutstanding: sum(open, total),
            totalOverdue: sum(overdue, total),
          },
          repaymentSchedule: {
            currency: toCurrency(loan.currency),
            periods: [
              { dueDate: loan.start, principalDisbursed: loan.principal, principalLoanBalanceOutstanding: loan.principal },
              ...lines.map((line) => ({
                period: line.period,
                dueDate: line.dueDate,
                complete: line.complete,
                principalDue: line.principal,
                interestDue: line.interest,
                totalDueForPeriod: cents(total(line)),
                totalOutstandingForPeriod: line.complete ? 0 : cents(total(line)),
              })),
            ],
          },
        }),
    ...(loan.overpaid === undefined ? {} : { totalOverpaid: loan.overpaid }),
    inArrears: overdue.length > 0,
    ...loan.edits,
  }
}

/** Disbursement, repayments, accruals (which transfer no money), and one reversed repayment. */
export function movementsOfLoan(loan: Loan): Record<string, unknown>[] {
  if (loan.start === null) return []
  const first = loan.id * 1000
  const row = (id: number, word: string, date: Day, amount: number, more: Record<string, unknown> = {}) => ({
    id: first + id,
    officeId: 1,
    loanId: loan.id,
    type: { id, code: `loanTransactionType.${word}`, value: word },
    date,
    submittedOnDate: date,
    currency: toCurrency(loan.currency),
    amount: cents(amount),
    manuallyReversed: false,
    ...more,
  })
  let left = loan.principal
  const payments = instalments(loan)
    .slice(0, loan.paid)
    .flatMap((line, index) => {
      left = cents(left - line.principal)
      return [
        row(index * 2 + 2, 'accrual', line.dueDate, line.interest),
        row(index * 2 + 3, 'repayment', line.dueDate, line.principal + line.interest, { outstandingLoanBalance: left }),
      ]
    })
  return [
    row(1, 'disbursement', loan.start, loan.principal, { outstandingLoanBalance: loan.principal }),
    ...payments,
    ...(loan.paid > 3 ? [row(999, 'repayment', loan.start, 75, { manuallyReversed: true })] : []),
  ]
}

export function accountNo(id: number): string {
  return String(840_017_000_000 + id * 7_919)
}

export function toStatus(type: string, [id, word]: [number, string]) {
  return { id, code: `${type}.${word}`, value: word.replaceAll('.', ' '), active: id === 300 }
}

export function toCurrency(code: string) {
  return { code, name: code, decimalPlaces: code === 'KWD' ? 3 : 2, displaySymbol: code, nameCode: `currency.${code}` }
}

function isBefore(a: Day, b: Day): boolean {
  return Date.UTC(a[0], a[1] - 1, a[2]) < Date.UTC(b[0], b[1] - 1, b[2])
}

/** The same day of a later month, or that month's last day. */
function monthsAfter([year, month, day]: Day, months: number): Day {
  const first = new Date(Date.UTC(year, month - 1 + months, 1))
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return [first.getUTCFullYear(), first.getUTCMonth() + 1, Math.min(day, last)]
}
