import type { Row } from '../../kit/data/edited-list.ts'
import type { Random } from '../../kit/random.ts'
import { toMsDate, toUuid } from './chart.ts'
import type { Organisation } from './companies.ts'
import type { Routine } from './routine.ts'

/** One entry: its source, and amounts in cents, debits positive. */
export interface Entry {
  number: number
  source: string
  note: string
  /** Milliseconds since the epoch of the day and of the time of posting. */
  dayMs: number
  postedAt: number
  lines: { account: Row; cents: number }[]
}

/** Last month with entries: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/** Entries of all routines by month, in order of number; the last one does not balance. */
export function toEntries(organisation: Organisation, accounts: readonly Row[], random: Random): Entry[] {
  const byName = new Map(accounts.map((account) => [account.Name, account]))
  const entries: Entry[] = []
  const add = (routine: Routine, month: number, note: string, offByCents: number) => {
    const cents = 12_000 + random.below(2_000_000)
    const lines = toLines(routine, cents, byName)
    const [first] = lines
    if (first) first.cents += offByCents
    const dayMs = Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)
    const number = entries.length + 1
    // Xero's numbers have gaps, where it counts other things.
    entries.push({ number: number + Math.floor(number / 7), source: routine.source, note, dayMs, postedAt: dayMs + 61_200_000, lines })
  }
  for (let month = LAST_MONTH - organisation.months + 1; month <= LAST_MONTH; month++) {
    for (const routine of organisation.routines) add(routine, month, routine.note, 0)
  }
  const manual = organisation.routines.find(({ source }) => source === 'MANJOURNAL')
  if (manual) add(manual, LAST_MONTH, 'Imported by an old add-on', 1000)
  return entries
}

function toLines(routine: Routine, cents: number, byName: ReadonlyMap<unknown, Row>): Entry['lines'] {
  const lines = routine.lines.map(({ account, share }) => {
    const row = byName.get(account)
    if (!row) throw new Error(`the chart lacks "${account}"`)
    return { account: row, cents: Math.round(cents * share) }
  })
  const rest = lines.reduce((sum, line) => sum + line.cents, 0)
  const last = lines.at(-1)
  if (last) last.cents -= rest
  return lines
}

/** The entry in the format of /Journals. */
export function toJournal(entry: Entry, tenantId: string): Row {
  return {
    JournalID: toUuid(tenantId, `journal ${entry.number}`),
    JournalDate: toMsDate(entry.dayMs),
    JournalNumber: entry.number,
    CreatedDateUTC: toMsDate(entry.postedAt),
    Reference: entry.note,
    SourceID: toUuid(tenantId, `source ${entry.number}`),
    SourceType: entry.source,
    JournalLines: entry.lines.map(({ account, cents }, index) => ({
      JournalLineID: toUuid(tenantId, `line ${entry.number}/${index}`),
      AccountID: account.AccountID,
      ...(account.Code === undefined ? {} : { AccountCode: account.Code }),
      AccountType: account.Type,
      AccountName: account.Name,
      Description: index === 0 ? entry.note : '',
      NetAmount: cents / 100,
      GrossAmount: cents / 100,
      TaxAmount: 0,
      TrackingCategories: [],
    })),
  }
}

/** The entry in the format of /ManualJournals. */
function toManualJournal(entry: Entry, tenantId: string): Row {
  return {
    Date: toMsDate(entry.dayMs),
    Status: 'POSTED',
    LineAmountTypes: 'NoTax',
    UpdatedDateUTC: toMsDate(entry.postedAt),
    ManualJournalID: toUuid(tenantId, `source ${entry.number}`),
    Narration: entry.note,
    JournalLines: entry.lines.map(({ account, cents }) => ({
      Description: entry.note,
      TaxType: 'NONE',
      TaxAmount: 0,
      LineAmount: cents / 100,
      ...(account.Code === undefined ? {} : { AccountCode: account.Code }),
      Tracking: [],
      AccountID: account.AccountID,
      IsBlank: false,
    })),
    ShowOnCashBasisReports: true,
    HasAttachments: false,
  }
}

/**
 * Manual journals in order of id: the fourth has a blank line, and three more are a draft, a voided one and one with
 * tax.
 */
export function toManualJournals(entries: readonly Entry[], tenantId: string): Row[] {
  const rows = entries.filter(({ source }) => source === 'MANJOURNAL').map((entry) => toManualJournal(entry, tenantId))
  const [model, , , fourth] = rows
  if (model && fourth) {
    const blank = { Description: '', TaxAmount: 0, LineAmount: 0, Tracking: [], IsBlank: true }
    fourth.JournalLines = [blank, ...linesOf(fourth)]
    const other = (name: string, changes: Row) => ({ ...model, ManualJournalID: toUuid(tenantId, name), Narration: name, ...changes })
    const taxed = linesOf(model).map((line, index) => (index === 0 ? { ...line, TaxType: 'INPUT', TaxAmount: 5 } : line))
    rows.push(
      other('Draft of the year end', { Status: 'DRAFT' }),
      other('Posted twice', { Status: 'VOIDED' }),
      other('Supplies with GST', { LineAmountTypes: 'Inclusive', JournalLines: taxed }),
    )
  }
  return rows.sort((a, b) => (String(a.ManualJournalID) < String(b.ManualJournalID) ? -1 : 1))
}

function linesOf(row: Row): Row[] {
  return Array.isArray(row.JournalLines) ? row.JournalLines : []
}
