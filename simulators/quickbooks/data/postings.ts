import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Row } from './chart.ts'

/** One line of a journal entry. */
export interface Posting {
  accountId: string
  entryId: string
  day: string
  number: string
  /** Name of the customer, vendor or employee; may be empty. */
  name: string
  memo: string
  /** Name of the account on the other side, `-Split-` if there are several. */
  split: string
  /** Positive for a debit. */
  cents: number
}

const EntryLine = Type.Object({
  Description: Type.String(),
  Amount: Type.Number(),
  JournalEntryLineDetail: Type.Object({
    PostingType: Type.Union([Type.Literal('Debit'), Type.Literal('Credit')]),
    Entity: Type.Optional(Type.Object({ EntityRef: Type.Object({ name: Type.String() }) })),
    AccountRef: Type.Object({ value: Type.String(), name: Type.String() }),
  }),
})
const checkLine = Compile(EntryLine)

/** Every posting of the entries in order of date; text-only lines are skipped. */
export function listPostings(entries: readonly Row[]): Posting[] {
  return entries.flatMap(postingsOf).sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
}

function postingsOf(entry: Row): Posting[] {
  const lines = (Array.isArray(entry.Line) ? entry.Line : []).filter((line: unknown) => checkLine.Check(line))
  return lines.map(({ Amount, Description, JournalEntryLineDetail: detail }) => {
    const others = lines.filter((line) => line.JournalEntryLineDetail.PostingType !== detail.PostingType)
    return {
      accountId: detail.AccountRef.value,
      entryId: entry.Id,
      day: String(entry.TxnDate),
      number: String(entry.DocNumber),
      name: detail.Entity?.EntityRef.name ?? '',
      memo: Description,
      split: others.length === 1 ? (others[0]?.JournalEntryLineDetail.AccountRef.name ?? '') : '-Split-',
      cents: Math.round(Amount * 100) * (detail.PostingType === 'Debit' ? 1 : -1),
    }
  })
}
