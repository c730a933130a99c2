import type { Row } from '../../kit/data/edited-list.ts'
import type { Random } from '../../kit/random.ts'
import { toId } from './chart.ts'
import type { Organization } from './companies.ts'
import type { Routine } from './routine.ts'

/** Last month with journals: June 2026. */
const LAST_MONTH = 2026 * 12 + 5
const FIRST_PLACE = 500_000
const RATES: Readonly<Record<string, number>> = { USD: 1.37, CAD: 1, EUR: 1 }

/**
 * Journals of all routines in the format of the single-journal call, newest last; then a draft, one with tax and one
 * that does not balance.
 */
export function toJournals(organization: Organization, accounts: readonly Row[], random: Random): Row[] {
  const ids = new Map(accounts.map(({ account_name, account_id }) => [account_name, account_id]))
  const journals: Row[] = []
  const add = (routine: Routine, month: number, changes: (journal: Row, lines: Row[]) => Row = () => ({})) => {
    const journal = toJournal({ organization, routine, month, number: journals.length + 1, cents: 12_000 + random.below(900_000), ids })
    journals.push({ ...journal, ...changes(journal, linesOf(journal)) })
  }
  for (let month = LAST_MONTH - organization.months + 1; month <= LAST_MONTH; month++) {
    for (const routine of organization.routines) add(routine, month)
  }
  const [model] = organization.routines
  if (!model) return journals
  add({ ...model, note: 'Draft of the year end' }, LAST_MONTH, () => ({ status: 'draft' }))
  const tax = { tax_name: 'GST', tax_amount: 5, debit_or_credit: 'debit', tax_account: true }
  add({ ...model, note: 'Supplies with tax' }, LAST_MONTH, () => ({ taxes: [tax] }))
  add({ ...model, note: 'Imported by an old add-on' }, LAST_MONTH, (_journal, lines) => ({
    line_items: lines.map((line, index) => (index === 0 ? { ...line, amount: Number(line.amount) + 10 } : line)),
  }))
  return journals
}

interface JournalPlan {
  organization: Organization
  routine: Routine
  /** Months since year 0. */
  month: number
  number: number
  cents: number
  ids: ReadonlyMap<unknown, unknown>
}

function toJournal({ organization, routine, month, number, cents, ids }: JournalPlan): Row {
  const day = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
  const rounded = routine.lines.map(({ share }) => Math.round(cents * share))
  const rest = rounded.reduce((sum, each) => sum + each, 0)
  const currency = routine.currency ?? organization.currency
  const rate = RATES[currency] ?? 1
  const place = FIRST_PLACE + number * 10
  const time = `${day}T17:05:00${organization.offset}`
  const total = cents / 100
  return {
    journal_id: toId(organization, place),
    entry_number: String(number),
    reference_number: number % 3 === 0 ? `REF-${number}` : '',
    notes: routine.note,
    currency_id: toId(organization, 97),
    currency_code: currency,
    currency_symbol: organization.symbol,
    exchange_rate: rate,
    journal_date: day,
    journal_type: 'both',
    line_items: routine.lines.map(({ account }, index) => {
      const accountId = ids.get(account)
      if (accountId === undefined) throw new Error(`the chart lacks "${account}"`)
      const signed = (rounded[index] ?? 0) - (index === routine.lines.length - 1 ? rest : 0)
      return {
        line_id: toId(organization, place + index + 1),
        account_id: accountId,
        customer_id: '',
        customer_name: index === 0 ? (routine.customer ?? '') : '',
        account_name: account,
        description: '',
        debit_or_credit: signed < 0 ? 'credit' : 'debit',
        tax_id: '',
        tax_name: '',
        tax_type: 'tax',
        tax_percentage: '',
        amount: Math.abs(signed) / 100,
        bcy_amount: Math.round(Math.abs(signed) * rate) / 100,
        tags: [],
        project_id: '',
        project_name: '',
      }
    }),
    line_item_total: total,
    total,
    bcy_total: Math.round(cents * rate) / 100,
    price_precision: 2,
    taxes: [],
    created_time: time,
    last_modified_time: time,
    status: 'published',
  }
}

/** The journal in list format: no lines and no currency code. */
export function toListRow(journal: Row): Row {
  const names = ['journal_id', 'journal_date', 'entry_number', 'reference_number', 'currency_id', 'status', 'notes', 'journal_type']
  const kept = [...names, 'total', 'bcy_total', 'last_modified_time']
  return { ...Object.fromEntries(kept.map((name) => [name, journal[name]])), entity_type: 'journal', tags: [] }
}

function linesOf(journal: Row): Row[] {
  return Array.isArray(journal.line_items) ? journal.line_items : []
}
