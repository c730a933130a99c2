import { Type } from 'typebox'
import type { Reason, ReasonCode } from '../../../sync/accounts/same-account.ts'
import { orNull, strict } from '../../schemas/schemas.ts'

const DAY_MS = 86_400_000

const WORDS: Readonly<Record<Exclude<ReasonCode, 'sameTransactions'> | 'sameAsThird', string>> = {
  sameNumber: 'Both sources give the same full account number.',
  sameEnding: 'The account numbers end in the same characters.',
  sameBank: 'Both are at the same bank.',
  sameBalance: 'Both showed the same balance at about the same time.',
  sameAsThird: 'Both are the same account as a third one.',
}

const CODES = ['sameNumber', 'sameEnding', 'sameBank', 'sameBalance', 'sameTransactions', 'sameAsThird'] as const

export const ReasonShape = strict(
  {
    code: Type.Enum(CODES),
    text: Type.String({ description: 'In words' }),
    transactions: orNull(Type.Integer({ description: 'Of `sameTransactions`: how many agree in date and amount' })),
    from: orNull(Type.String({ description: 'Of `sameTransactions`: first day that both sources cover' })),
    until: orNull(Type.String({ description: 'Of `sameTransactions`: last day that both sources cover' })),
  },
  { title: 'SameAccountReason' },
)

/** Why two accounts are one, in words and as a code. */
export function presentReason({ code, overlap }: Reason | { code: 'sameAsThird'; overlap?: undefined }) {
  if (code !== 'sameTransactions') return { code, text: WORDS[code], transactions: null, from: null, until: null }
  const [transactions, from, until] = [overlap?.matched ?? 0, toDay(overlap?.from ?? 0), toDay(overlap?.until ?? 0)]
  const text = `${transactions} transactions from ${from} to ${until} agree in date and amount.`
  return { code, text, transactions, from, until }
}

function toDay(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10)
}
