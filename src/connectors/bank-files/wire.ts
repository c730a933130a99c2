import { type Static, Type } from 'typebox'

/**
 * Common schema of all statement formats. Words, amounts and dates are kept as written in the file; `map.ts` interprets
 * them. Account numbers are already masked here: the full number stays in the sealed file.
 */

const Text = Type.Union([Type.String(), Type.Null()])

const FormatWord = Type.Union([Type.Literal('ofx'), Type.Literal('bai2'), Type.Literal('camt053'), Type.Literal('mt940')])
export type Format = Static<typeof FormatWord>

const Amount = Type.Object({
  /** Amount as written: `-200.00`, `3,47`, `+000000036521`. */
  text: Type.String(),
  /** Debit or credit mark next to the amount: `C`, `RD`, `CRDT` …; null where the text has the sign. */
  mark: Text,
  /** `minor`: the text counts cents (or the currency's own minor unit). */
  unit: Type.Union([Type.Literal('major'), Type.Literal('minor')]),
  /** ISO 4217; null means the currency of the account. */
  currency: Text,
  /** Day or instant of the amount, as written in the format. */
  date: Text,
})
export type Amount = Static<typeof Amount>

export const StatementAccount = Type.Object({
  format: FormatWord,
  /** Hash of bank id and full account number. */
  origId: Type.String(),
  /** Routing number, BIC or sender id. */
  bankId: Text,
  bankName: Text,
  maskedNumber: Type.String(),
  name: Text,
  /** OFX: type of statement (`bank`, `card`, `loan`); null elsewhere. */
  statementKind: Text,
  /** `ACCTTYPE`, `LOANACCTTYPE`, `Acct/Tp`. */
  type: Text,
  status: Text,
  classification: Text,
  lender: Text,
  /** Percent. */
  rate: Text,
  currency: Type.String(),
  /** OFX: sign of debts in this file, where it shows both. */
  owed: Type.Optional(Type.Union([Type.Literal('negative'), Type.Literal('positive')])),
  /** By the source's own code: `LEDGERBAL`, `015`, `CLBD`, `62F` … */
  amounts: Type.Record(Type.String(), Amount),
  /** By the source's own name: `DTSERVER`, `DTPMTDUE`, `CreDtTm` … */
  dates: Type.Record(Type.String(), Type.String()),
})
export type StatementAccount = Static<typeof StatementAccount>

export const StatementTransaction = Type.Object({
  format: FormatWord,
  origId: Type.String(),
  accountOrigId: Type.String(),
  amount: Amount,
  currency: Type.String(),
  /** `TRNTYPE`, BAI2 type code, `BkTxCd`, SWIFT transaction type. */
  type: Text,
  /** Day on which the bank booked it. */
  booked: Text,
  /** Day of the transaction itself. */
  initiated: Text,
  /** Value day. */
  valued: Text,
  name: Text,
  text: Text,
  /** The bank's or the customer's reference. */
  reference: Text,
})
export type StatementTransaction = Static<typeof StatementTransaction>
