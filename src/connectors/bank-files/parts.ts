import { hash } from 'node:crypto'
import type { LocalizedText } from '../../model/values/text.ts'
import type { Format, StatementAccount, StatementTransaction } from './wire.ts'

/** Number of a part that stands in no statement. */
export const NO_STATEMENT = -1

/** What a parser finds, in file order. Nothing is kept: a part is built, handed out and forgotten. */
export type Part = TransactionPart | AccountPart | RemovalPart | NotBookedPart | UnreadablePart

export interface TransactionPart {
  part: 'transaction'
  /** Number of the statement within the file. */
  statement: number
  /** Without ids: the reader gives them. */
  record: Omit<StatementTransaction, 'origId'>
  /** The bank's unique id, where the format has one. */
  fitid: string | null
  /** Name and text that the id is worked out from, where they are read better by now: an id stays what it was. */
  identifiedBy?: { name: string | null; text: string | null }
  /** Full number of the account, to keep it out of the texts. */
  accountNumber: string
  /** Offset in the text. */
  at: number
}

/** Comes at the end of a statement, when its sums are known. */
export interface AccountPart {
  part: 'account'
  statement: number
  record: StatementAccount
  /** Date the balances are of, as the format writes it; null for mere account data, which only completes a statement's. */
  asOf: string | null
  accountNumber: string
  at: number
  /** Why the statement cannot be trusted; its records are set aside. */
  fault: LocalizedText | null
}

/** The bank takes a transaction back (OFX corrections). */
interface RemovalPart {
  part: 'removal'
  statement: number
  accountOrigId: string
  fitid: string
  /** The same element holds what stands in its place, which comes as a transaction. */
  isReplaced: boolean
  at: number
}

/** A movement that is pending, or no movement of money at all: left out, and counted. */
interface NotBookedPart {
  part: 'notBooked'
  statement: number
  at: number
}

/** Something that the file holds and nobody can read: a statement, or one movement. */
export interface UnreadablePart {
  part: 'unreadable'
  statement: number
  entity: 'Accounts' | 'Transactions'
  reason: LocalizedText
  at: number
}

/** A parser: text in, parts out. Throws `InputRefused` when the file as a whole cannot be read. */
export type Parser = (text: string, lineAt: (offset: number) => number) => Generator<Part, void>

const ID_LENGTH = 32

export function shortHash(...values: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(values), 'hex').slice(0, ID_LENGTH)
}

/** The account's id: a hash of bank id and full number, blanks aside. */
export function toAccountId(bankId: string | null, number: string): string {
  return shortHash(bankId ?? '', number.replace(/\s/g, '').toUpperCase())
}

/** An account of which only its identity is known yet. */
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
