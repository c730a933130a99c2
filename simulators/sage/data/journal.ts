import type { Random } from '../../kit/random.ts'
import { type Row, toId } from './chart.ts'
import type { Routine } from './routine.ts'

/** Last month with journals. */
const LAST_MONTH = { year: 2026, month: 6 }

/**
 * Routines of `months` months, oldest first, then one journal that does not balance. Amounts are split in cents, so
 * that both sides agree.
 */
export function toJournals(
  routines: readonly Routine[],
  months: number,
  accounts: readonly Row[],
  businessNumber: number,
  random: Random,
): Row[] {
  const journals: Row[] = []
  for (let back = months - 1; back >= 0; back -= 1) {
    for (const routine of routines) journals.push(toJournal(routine, lastDay(back), accounts, businessNumber, journals.length + 1, random))
  }
  const last = journals.at(-1)
  if (!last || !Array.isArray(last.journal_lines)) return journals
  const id = toId(businessNumber, 'b', journals.length + 1)
  const [first, ...others] = last.journal_lines
  const lopsided = { ...Object(first), debit: Object(first).debit + 0.01 }
  return [
    ...journals,
    { ...last, id, $path: `/journals/${id}`, reference: 'OD-ERREUR', displayed_as: 'OD-ERREUR', journal_lines: [lopsided, ...others] },
  ]
}

function toJournal(routine: Routine, date: string, accounts: readonly Row[], businessNumber: number, index: number, random: Random): Row {
  const id = toId(businessNumber, 'b', index)
  const cents = 10_000 + random.below(900_000)
  const reference = `OD-${String(index).padStart(4, '0')}`
  const shares = { debit: split(cents, routine, 'debit'), credit: split(cents, routine, 'credit') }
  return {
    id,
    displayed_as: reference,
    $path: `/journals/${id}`,
    created_at: `${date}T21:05:00Z`,
    updated_at: `${date}T21:05:00Z`,
    transaction_type: { id: 'JOURNAL', displayed_as: 'Journal', $path: '/transaction_types/JOURNAL' },
    date,
    reference,
    description: routine.note,
    total: cents / 100,
    journal_lines: routine.lines.map(([code, side], place) => {
      const amount = (shares[side].shift() ?? 0) / 100
      return {
        id: `${id.slice(0, 28)}${String(place + 1).padStart(4, '0')}`,
        ledger_account: toReference(accounts, code),
        details: place === 0 ? routine.note : '',
        debit: side === 'debit' ? amount : 0,
        credit: side === 'credit' ? amount : 0,
        include_on_tax_return: false,
        tax_reconciled: false,
        cleared: false,
        bank_reconciled: false,
      }
    }),
    migrated: false,
  }
}

/** The amount split over the lines of one side; the first line takes the remainder. */
function split(cents: number, routine: Routine, side: 'debit' | 'credit'): number[] {
  const count = routine.lines.filter((line) => line[1] === side).length
  const share = Math.floor(cents / count)
  return Array.from({ length: count }, (_, index) => (index === 0 ? cents - share * (count - 1) : share))
}

function toReference(accounts: readonly Row[], code: number): object {
  const account = accounts.find(({ nominal_code }) => nominal_code === code)
  if (!account) throw new Error(`unknown account ${code}`)
  return { id: account.id, displayed_as: account.displayed_as, $path: account.$path }
}

function lastDay(monthsBack: number): string {
  return new Date(Date.UTC(LAST_MONTH.year, LAST_MONTH.month - monthsBack, 0)).toISOString().slice(0, 10)
}
