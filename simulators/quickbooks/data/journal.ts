import type { Random } from '../../kit/random.ts'
import { CURRENCY_NAMES, type Row } from './chart.ts'
import type { Routine } from './routine.ts'

interface EntryPlan {
  id: number
  routine: Routine
  /** Months since year 0. */
  month: number
  cents: number
  /** Added to the first line, so that the entry does not balance. */
  offByCents: number
  /** Text of a line without amounts. */
  remark: string | null
}

/** Last month with entries: June 2026. */
const LAST_MONTH = 2026 * 12 + 5

/**
 * Entries of all routines for `months` months, in order of Id: the second has a text-only line, the last does not
 * balance.
 */
export function toJournalEntries(
  routines: readonly Routine[],
  months: number,
  accounts: readonly Row[],
  currency: string,
  random: Random,
): Row[] {
  const ids = new Map(accounts.map((account) => [account.Name, account.Id]))
  const plans: EntryPlan[] = []
  for (let month = LAST_MONTH - months + 1; month <= LAST_MONTH; month++) {
    for (const routine of routines) {
      const id = plans.length + 1
      plans.push({ id, routine, month, cents: toCents(random), offByCents: 0, remark: id === 2 ? 'See the attached voucher' : null })
    }
  }
  for (const routine of routines.slice(0, 1)) {
    const faulty = { ...routine, note: 'Imported by an old add-on' }
    plans.push({ id: plans.length + 1, routine: faulty, month: LAST_MONTH, cents: toCents(random), offByCents: 1000, remark: null })
  }
  return plans.map((plan) => toEntry(plan, ids, currency))
}

function toCents(random: Random): number {
  return 12_000 + random.below(2_000_000)
}

function toEntry(plan: EntryPlan, ids: ReadonlyMap<unknown, string>, currency: string): Row {
  const { routine, cents } = plan
  const last = routine.lines.length - 1
  const share = Math.floor(cents / last)
  const postings = routine.lines.map((line, index) => {
    const accountId = ids.get(line.account)
    if (accountId === undefined) throw new Error(`the chart lacks "${line.account}"`)
    const lineCents = index === 0 ? cents + plan.offByCents : index === last ? cents - share * (last - 1) : share
    return {
      Id: String(index),
      Description: routine.note,
      Amount: lineCents / 100,
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: {
        PostingType: line.side,
        ...(line.entity ? { Entity: { Type: line.entity.type, EntityRef: { value: line.entity.id, name: line.entity.name } } } : {}),
        AccountRef: { value: accountId, name: line.account },
      },
    }
  })
  const remarks = plan.remark === null ? [] : [{ Id: String(last + 1), Description: plan.remark, DetailType: 'DescriptionOnly' }]
  const day = new Date(Date.UTC(Math.floor(plan.month / 12), (plan.month % 12) + 1, 0)).toISOString().slice(0, 10)
  return {
    Adjustment: false,
    domain: 'QBO',
    sparse: false,
    Id: String(plan.id),
    SyncToken: '0',
    MetaData: { CreateTime: `${day}T17:05:00-07:00`, LastUpdatedTime: `${day}T17:05:00-07:00` },
    DocNumber: `JE-${String(plan.id).padStart(4, '0')}`,
    TxnDate: day,
    CurrencyRef: { value: currency, name: CURRENCY_NAMES[currency] ?? currency },
    PrivateNote: routine.note,
    Line: [...postings, ...remarks],
    TotalAmt: cents / 100,
  }
}
