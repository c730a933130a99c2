import type { Random } from '../../kit/random.ts'
import { type Row, toCurrency } from './chart.ts'
import type { Company } from './companies.ts'
import type { Routine } from './routine.ts'

export interface Journal {
  moves: Row[]
  lines: Row[]
}

/** Last month with entries: June 2026. */
const LAST_MONTH = 2026 * 12 + 5
const PREFIXES = { entry: 'MISC', out_invoice: 'INV', in_invoice: 'BILL' } as const
const JOURNALS = { entry: 3, out_invoice: 1, in_invoice: 2 } as const

interface Plan {
  id: number
  routine: Routine
  /** Months since year 0. */
  month: number
  state: 'posted' | 'draft' | 'cancel'
  /** True if it lacks a line that a rule hides from the user. */
  isTorn: boolean
  /** True if reversed by negative amounts, as in storno accounting. */
  isStorno: boolean
  /** True if it has a line without amounts. */
  hasNote: boolean
}

/**
 * Entries of all routines, in order of id; ids begin at a million for each company. The second has a note among its
 * lines, the third is a storno; the last three are an incomplete one, a draft and a cancelled one.
 */
export function toJournal(company: Company, accounts: readonly Row[], random: Random): Journal {
  const accountIds = new Map(accounts.map(({ name, id }) => [name, id]))
  const plans: Plan[] = []
  const plan = (routine: Routine, month: number, changes: Partial<Plan> = {}) => {
    const id = company.id * 1_000_000 + plans.length + 1
    plans.push({ id, routine, month, state: 'posted', isTorn: false, isStorno: false, hasNote: false, ...changes })
  }
  for (let month = LAST_MONTH - company.months + 1; month <= LAST_MONTH; month++) {
    for (const routine of company.routines) plan(routine, month, { hasNote: plans.length === 1, isStorno: plans.length === 2 })
  }
  for (const routine of company.routines.slice(0, 1)) {
    plan(routine, LAST_MONTH, { isTorn: true })
    plan(routine, LAST_MONTH, { state: 'draft' })
    plan(routine, LAST_MONTH, { state: 'cancel' })
  }
  const journal: Journal = { moves: [], lines: [] }
  for (const each of plans) {
    journal.moves.push(toMove(each, company))
    journal.lines.push(...toLines(each, company, accountIds, random))
  }
  return journal
}

function toMove({ id, routine, month, state }: Plan, company: Company): Row {
  const year = Math.floor(month / 12)
  const day = new Date(Date.UTC(year, (month % 12) + 1, 0)).toISOString().slice(0, 10)
  return {
    id,
    name: state === 'draft' ? '/' : `${PREFIXES[routine.kind]}/${year}/${String(id % 1_000_000).padStart(5, '0')}`,
    date: day,
    ref: routine.kind === 'entry' ? false : `${routine.label} ${day.slice(0, 7)}`,
    move_type: routine.kind,
    type: routine.kind,
    state,
    journal_id: [JOURNALS[routine.kind], PREFIXES[routine.kind]],
    company_id: company.id,
    company_ids: [company.id],
    write_date: `${day} 22:05:00`,
  }
}

function toLines(plan: Plan, company: Company, accountIds: ReadonlyMap<unknown, number>, random: Random): Row[] {
  const { routine } = plan
  const cents = 12_000 + random.below(2_000_000)
  const last = routine.lines.length - 1
  const share = Math.floor(cents / last)
  const amounts = routine.lines.map((_, index) => (index === 0 ? cents : index === last ? cents - share * (last - 1) : share))
  const lines = routine.lines.map((line, index) => {
    const amount = (plan.isStorno ? -1 : 1) * ((amounts[index] ?? 0) / 100)
    const accountId = accountIds.get(line.account)
    if (accountId === undefined) throw new Error(`the chart lacks "${line.account}"`)
    return {
      account_id: [accountId, line.account],
      debit: line.side === 'debit' ? amount : 0,
      credit: line.side === 'credit' ? amount : 0,
      name: routine.kind === 'entry' ? routine.label : false,
      partner_id: line.partner ?? false,
      display_type: 'product',
    }
  })
  const note = { account_id: false, debit: 0, credit: 0, name: 'Voir la pièce jointe', partner_id: false, display_type: 'line_note' }
  return [...(plan.isTorn ? lines.slice(1) : lines), ...(plan.hasNote ? [note] : [])].map((line, index) => ({
    id: plan.id * 10 + index,
    move_id: [plan.id, routine.label],
    ...line,
    company_currency_id: toCurrency(company.currency),
    parent_state: plan.state,
    company_id: company.id,
    company_ids: [company.id],
  }))
}
