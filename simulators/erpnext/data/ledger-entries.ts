import type { Random } from '../../kit/random.ts'
import type { Row } from './chart.ts'
import type { Company } from './companies.ts'
import type { Routine } from './routine.ts'

/** Last month with vouchers: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

interface Plan {
  routine: Routine
  number: string
  /** Months since year 0. */
  month: number
  isCancelled: boolean
  /** True if it lacks a line that the user may not see. */
  isTorn: boolean
  /** True if reversed by negative amounts. */
  isNegative: boolean
}

/**
 * Lines of all vouchers. The second voucher is reversed by negative amounts; the last two are an incomplete one and a
 * cancelled one. Names are chosen so that the lines of a voucher are not adjacent.
 */
export function toLedgerEntries(company: Company, accounts: readonly Row[], random: Random): Row[] {
  const names = new Map(accounts.map((account) => [account.account_name, account.name]))
  const plans: Plan[] = []
  const plan = (routine: Routine, month: number, changes: Partial<Plan> = {}) => {
    const number = `${routine.prefix}-${Math.floor(month / 12)}-${String(plans.length + 1).padStart(5, '0')}`
    plans.push({ routine, number, month, isCancelled: false, isTorn: false, isNegative: false, ...changes })
  }
  for (let month = LAST_MONTH - company.months + 1; month <= LAST_MONTH; month++) {
    for (const routine of company.routines) plan(routine, month, { isNegative: plans.length === 1 })
  }
  for (const routine of company.routines.slice(0, 1)) {
    plan(routine, LAST_MONTH, { isTorn: true })
    plan(routine, LAST_MONTH, { isCancelled: true })
  }
  return plans.flatMap((each, index) => toLines(each, index, company, names, random))
}

function toLines(plan: Plan, index: number, company: Company, names: ReadonlyMap<unknown, string>, random: Random): Row[] {
  const { routine, month } = plan
  const cents = 12_000 + random.below(2_000_000)
  const last = routine.lines.length - 1
  const share = Math.floor(cents / last)
  const day = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
  const lines = routine.lines.map((line, position) => {
    const account = names.get(line.account)
    if (account === undefined) throw new Error(`the chart lacks "${line.account}"`)
    const amount = (position === 0 ? cents : position === last ? cents - share * (last - 1) : share) / 100
    const signed = plan.isNegative ? -amount : amount
    return {
      name: `ACC-GLE-${position}-${company.abbr}${String(index + 1).padStart(6, '0')}`,
      account,
      debit: line.side === 'debit' ? signed : 0,
      credit: line.side === 'credit' ? signed : 0,
      posting_date: day,
      voucher_type: routine.voucherType,
      voucher_no: plan.number,
      party_type: line.party?.[0] ?? null,
      party: line.party?.[1] ?? null,
      remarks: routine.remarks,
      company: company.name,
      is_cancelled: plan.isCancelled ? 1 : 0,
      account_currency: company.currency,
      modified: `${day} 17:05:00.000000`,
    }
  })
  return plan.isTorn ? lines.slice(1) : lines
}
