import type { Row } from '../../kit/data/edited-list.ts'
import type { Random } from '../../kit/random.ts'
import { categoryAddress } from './chart.ts'
import type { Routine } from './routine.ts'

/** Last month with transactions: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/** Transactions of all routines for `months` months, in order of id; the last entry does not balance. */
export function toTransactions(routines: readonly Routine[], months: number, random: Random, nameOf: (code: string) => string): Row[] {
  const rows: Row[] = []
  let entries = 0
  for (let month = LAST_MONTH - months + 1; month <= LAST_MONTH; month++) {
    for (const routine of routines) {
      entries += 1
      rows.push(...toEntry(routine, { month, id: entries, first: rows.length + 1, cents: 1000 + random.below(200_000), offBy: 0, nameOf }))
    }
  }
  const [routine] = routines
  if (!routine) return rows
  const faulty = { ...routine, words: 'Imported by an old add-on' }
  const plan = { month: LAST_MONTH, id: entries + 1, first: rows.length + 1, cents: 5000, offBy: 100, nameOf }
  return [...rows, ...toEntry(faulty, plan)]
}

interface EntryPlan {
  /** Months since year 0. */
  month: number
  id: number
  /** Id of the first transaction. */
  first: number
  cents: number
  /** Cents added to the first line, so that the entry does not balance. */
  offBy: number
  nameOf(code: string): string
}

function toEntry(routine: Routine, plan: EntryPlan): Row[] {
  const day = new Date(Date.UTC(Math.floor(plan.month / 12), (plan.month % 12) + 1, 0)).toISOString().slice(0, 10)
  return routine.lines.map(([code, share], index) => {
    const cents = share * plan.cents + (index === 0 ? plan.offBy : 0)
    return {
      url: `/v2/accounting/transactions/${plan.first + index}`,
      dated_on: day,
      created_at: `${day}T17:05:00.000Z`,
      updated_at: `${day}T17:05:00.000Z`,
      description: `${routine.words} ${String(plan.id).padStart(4, '0')}`,
      category: categoryAddress(code),
      category_name: plan.nameOf(code),
      nominal_code: code,
      debit_value: toText(cents),
      ...(routine.item === null ? {} : { source_item_url: `/v2/${routine.item}/${plan.id}` }),
      foreign_currency_data: {},
    }
  })
}

/** `-12.5` for -1250 cents: FreeAgent drops a trailing zero, but keeps at least one decimal. */
function toText(cents: number): string {
  const text = (cents / 100).toFixed(2)
  return text.endsWith('0') ? text.slice(0, -1) : text
}
