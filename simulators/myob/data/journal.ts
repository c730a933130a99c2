import type { Row } from '../../kit/data/edited-list.ts'
import type { Random } from '../../kit/random.ts'
import { linkTo, toUid } from './chart.ts'
import type { Routine } from './routine.ts'

export interface JournalOptions {
  fileId: string
  uri: string
  months: number
  accounts: readonly Row[]
  random: Random
}

/** Last month with transactions: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/** Transactions of all routines for `months` months; the last one does not balance. */
export function toJournals(routines: readonly Routine[], options: JournalOptions): (readonly [id: string, row: Row])[] {
  const accounts = new Map(options.accounts.map((account) => [String(account.DisplayID), account]))
  const rows: Row[] = []
  for (let month = LAST_MONTH - options.months + 1; month <= LAST_MONTH; month++) {
    for (const routine of routines) {
      rows.push(
        toJournal(routine, {
          ...options,
          found: accounts,
          index: rows.length + 1,
          month,
          cents: 500 + options.random.below(90_000),
          offBy: 0,
        }),
      )
    }
  }
  for (const routine of routines.slice(0, 1)) {
    const faulty = { ...routine, memo: 'Imported by an old add-on' }
    rows.push(toJournal(faulty, { ...options, found: accounts, index: rows.length + 1, month: LAST_MONTH, cents: 700, offBy: 1 }))
  }
  return rows.map((row) => [String(row.UID), row])
}

interface JournalPlan extends JournalOptions {
  found: ReadonlyMap<string, Row>
  index: number
  /** Months since year 0. */
  month: number
  cents: number
  /** Cents added to the first line, so that the transaction does not balance. */
  offBy: number
}

function toJournal(routine: Routine, plan: JournalPlan): Row {
  const day = new Date(Date.UTC(Math.floor(plan.month / 12), (plan.month % 12) + 1, 0)).toISOString().slice(0, 10)
  const UID = toUid(plan.fileId, 'jrn', plan.index)
  const source = toUid(plan.fileId, 'src', plan.index)
  return {
    UID,
    DisplayID: `${routine.type.slice(0, 2).toUpperCase()}${String(plan.index).padStart(6, '0')}`,
    JournalType: routine.type,
    SourceTransaction: { UID: source, TransactionType: routine.source, URI: `${plan.uri}/${routine.source}/${source}` },
    DateOccurred: `${day}T00:00:00`,
    DatePosted: `${day}T17:05:11.057`,
    Description: routine.memo,
    Lines: routine.lines.map(([displayId, share], index) => {
      const account = plan.found.get(displayId)
      if (!account) throw new Error(`the chart lacks ${displayId}`)
      const cents = share * plan.cents + (index === 0 ? plan.offBy : 0)
      return {
        Account: linkTo(account),
        Amount: Math.abs(cents) / 100,
        IsCredit: cents < 0,
        Job: null,
        LineDescription: index === 0 ? `${routine.memo} ${day}` : '',
        ReconciledDate: null,
        UnitCount: null,
      }
    }),
    URI: `${plan.uri}/GeneralLedger/JournalTransaction/${UID}`,
    RowVersion: String(3_458_764_513 + plan.index),
  }
}
