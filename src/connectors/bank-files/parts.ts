import { hash } from 'node:crypto'
import type { LocalizedText } from '../../model/values/text.ts'
import type { Format, StatementAccount, StatementTransaction } from './wire.ts'

/** Statement number of a part outside any statement. */
export const NO_STATEMENT = -1

/** Parser output, in file order. Nothing is kept: a part is built, yielded and released. */
export type Part = TransactionPart | AccountPart | RemovalPart | NotBookedPart | UnreadablePart

export interface TransactionPart {
  part: 'transaction'
  /** Number of the statement within the file. */
  statement: number
  /** Record without ids, which the reader assigns. */
  record: Omit<StatementTransaction, 'origId'>
  /** Unique id of the bank, where the format has one. */
  fitid: string | null
  /** Name and text from which the id was computed, where they are decoded better by now: an id never changes. */
  identifiedBy?: { name: string | null; text: string | null }
  /** Full account number, to mask it in texts. */
  accountNumber: string
  /** Offset in the text. */
  at: number
}

/** Yielded at the end of a statement, when its totals are known. */
export interface AccountPart {
  part: 'account'
  statement: number
  record: StatementAccount
  /** Balance date, as written in the format; null for mere account data, which only completes a statement's. */
  asOf: string | null
  accountNumber: string
  at: number
  /** Fault that makes the statement untrusted; its records are set aside. */
  fault: LocalizedText | null
}

/** Removal of a transaction by the bank (OFX corrections). */
interface RemovalPart {
  part: 'removal'
  statement: number
  accountOrigId: string
  fitid: string
  /** True when the same element holds the replacement, which is yielded as a transaction. */
  isReplaced: boolean
  at: number
}

/** Pending transaction, or one without money: left out, and counted. */
interface NotBookedPart {
  part: 'notBooked'
  statement: number
  at: number
}

/** Unreadable part of the file: a statement, or one transaction. */
export interface UnreadablePart {
  part: 'unreadable'
  statement: number
  entity: 'Accounts' | 'Transactions'
  reason: LocalizedText
  at: number
}

/** Parser: text in, parts out. Throws `InputRefused` when the file as a whole cannot be read. */
export type Parser = (text: string, lineAt: (offset: number) => number) => Generator<Part, void>

const ID_LENGTH = 32

export function shortHash(...values: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(values), 'hex').slice(0, ID_LENGTH)
}

/** Account id: hash of bank id and full number without blanks. */
export function toAccountId(bankId: string | null, number: string): string {
  return shortHash(bankId ?? '', number.replace(/\s/g, '').toUpperCase())
}

/** Account with its identity only. */
export function blankAccount(format: Format, origId: string, maskedNumber: string): StatementAccount {
  return {
    format,
    origId,
    bankId: null,
    bankName: null,
    maskedNumber,
    name: null,
    statementKind: null,
    type: null,
    status: null,
    classification: null,
    lender: null,
    rate: null,
    currency: '',
    amounts: {},
    dates: {},
  }
}
