import { addDays, toDayText } from '../../kit/data/days.ts'
import type { Account } from '../state.ts'
import { toAmount } from './views.ts'

/**
 * The three lists of /liabilities/get; a list without members is null. Business loans and credit lines have no record,
 * as at the source.
 */
export function toLiabilitiesView(accounts: readonly Account[], nowMs: number): Record<string, unknown[] | null> {
  const today = toDayText(nowMs)
  return {
    credit: listOrNull(accounts, 'card', (account) => toCredit(account, today)),
    mortgage: listOrNull(accounts, 'mortgage', (account) => toMortgage(account, today)),
    student: listOrNull(accounts, 'student', (account) => toStudent(account, today)),
  }
}

export function hasLiabilities(accounts: readonly Account[]): boolean {
  return accounts.some((account) => account.role === 'card' || account.role === 'mortgage' || account.role === 'student')
}

function listOrNull(accounts: readonly Account[], role: Account['role'], view: (account: Account) => unknown): unknown[] | null {
  const found = accounts.filter((account) => account.role === role)
  return found.length === 0 ? null : found.map(view)
}

function toCredit(account: Account, today: string): Record<string, unknown> {
  return {
    account_id: account.accountId,
    aprs: [
      { apr_percentage: 24.99, apr_type: 'cash_apr', balance_subject_to_apr: 0, interest_charge_amount: 0 },
      { apr_percentage: 0, apr_type: 'special', balance_subject_to_apr: null, interest_charge_amount: null },
      { apr_percentage: 19.74, apr_type: 'purchase_apr', balance_subject_to_apr: 812.4, interest_charge_amount: 13.36 },
    ],
    is_overdue: false,
    last_payment_amount: 640.25,
    last_payment_date: lastDayOfMonthNumber(today, 5),
    last_statement_issue_date: lastDayOfMonthNumber(today, 2),
    last_statement_balance: statementBalance(account),
    minimum_payment_amount: 35,
    next_payment_due_date: nextDayOfMonthNumber(today, 23),
  }
}

function toMortgage(account: Account, today: string): Record<string, unknown> {
  return {
    account_id: account.accountId,
    account_number: `883120${account.mask ?? '0000'}`,
    current_late_fee: 0,
    escrow_balance: 1_841.54,
    has_pmi: false,
    has_prepayment_penalty: true,
    interest_rate: { percentage: 5.39, type: 'fixed' },
    last_payment_amount: 2_611.08,
    last_payment_date: lastDayOfMonthNumber(today, 1),
    loan_type_description: 'conventional',
    loan_term: '25 year',
    maturity_date: '2044-06-01',
    next_monthly_payment: 2_611.08,
    next_payment_due_date: nextDayOfMonthNumber(today, 1),
    origination_date: '2019-06-01',
    origination_principal_amount: 438_000,
    past_due_amount: 0,
    property_address: { city: 'Marrowfield', country: 'US', postal_code: '00412', region: 'ME', street: '4 Larchgate Lane' },
    ytd_interest_paid: 9_204.11,
    ytd_principal_paid: 7_112.37,
  }
}

function toStudent(account: Account, today: string): Record<string, unknown> {
  return {
    account_id: account.accountId,
    account_number: `41009${account.mask ?? '0000'}`,
    disbursement_dates: ['2012-08-28'],
    expected_payoff_date: '2032-07-28',
    guarantor: null,
    interest_rate_percentage: 4.25,
    is_overdue: false,
    last_payment_amount: 247.5,
    last_payment_date: lastDayOfMonthNumber(today, 20),
    last_statement_balance: statementBalance(account),
    last_statement_issue_date: lastDayOfMonthNumber(today, 2),
    loan_name: 'Consolidation',
    loan_status: { end_date: '2032-07-28', type: 'repayment' },
    minimum_payment_amount: 247.5,
    next_payment_due_date: nextDayOfMonthNumber(today, 20),
    origination_date: '2012-08-28',
    origination_principal_amount: 42_000,
    outstanding_interest_amount: 61.12,
    payment_reference_number: `41009${account.mask ?? '0000'}`,
    pslf_status: { estimated_eligibility_date: null, payments_made: null, payments_remaining: null },
    repayment_plan: { description: 'Standard Repayment', type: 'standard' },
    sequence_number: '1',
    servicer_address: { city: 'Umberford', country: 'US', postal_code: '00980', region: 'VT', street: '12 Isenstrand Road' },
    ytd_interest_paid: 318.62,
    ytd_principal_paid: 1_909.13,
  }
}

function statementBalance(account: Account): number | null {
  return toAmount(account.currentCents)
}

/** The next date on that day of the month, today included. */
function nextDayOfMonthNumber(today: string, number: number): string {
  let day = today
  while (Number(day.slice(8)) !== number) day = addDays(day, 1)
  return day
}

function lastDayOfMonthNumber(today: string, number: number): string {
  let day = addDays(today, -1)
  while (Number(day.slice(8)) !== number) day = addDays(day, -1)
  return day
}
