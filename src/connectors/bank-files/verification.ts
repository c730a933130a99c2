import type { LocalizedText } from '../../model/values/text.ts'
import { toReadable } from './account-faults.ts'
import { CheckedDays, faultOfMovement } from './movement-faults.ts'
import { type AccountPart, NO_STATEMENT, type Part } from './parts.ts'
import { DebtSigns } from './values/debts.ts'

/** Transactions of a file, by outcome; each is counted once. */
export interface Tally {
  read: number
  /** Unreadable transactions, counted individually. */
  setAside: number
  /** In untrusted statements, or of unidentifiable accounts. */
  ofRefused: number
  /** Pending, or without money. */
  notBooked: number
  /** Removed by the bank. */
  takenBack: number
}

/** Result of the first pass over a file. */
export interface Verification {
  /** By statement: the fault for which its records are set aside. */
  faults: ReadonlyMap<number, LocalizedText>
  /** Number of accepted statements. */
  accounts: number
  /** Reasons for refused statements: the bank's own text instead of a statement, or the fault of one. */
  refusals: readonly LocalizedText[]
  /** All omissions from accepted data: statements, transactions, and missing account data. */
  leftOut: readonly LocalizedText[]
  debts: DebtSigns
  tally: Tally
}

interface Movements {
  count: number
  unreadable: number
  firstReason: LocalizedText | null
}

/** Reads all parts of a file and keeps only the faults; throws `InputRefused` for a broken one. */
export function verifyParts(parts: Iterable<Part>, lineAt: (offset: number) => number): Verification {
  const reasons = new Map<number, LocalizedText>()
  const refusals: LocalizedText[] = []
  const lacking: LocalizedText[] = []
  const byStatement = new Map<number, Movements>()
  const shown = new Map<number, string>()
  const tally: Tally = { read: 0, setAside: 0, ofRefused: 0, notBooked: 0, takenBack: 0 }
  const debts = new DebtSigns()
  const days = new CheckedDays()
  let accounts = 0
  const refuse = (statement: number, reason: LocalizedText): void => {
    refusals.push(reason)
    if (statement !== NO_STATEMENT) reasons.set(statement, reason)
  }
  for (const part of parts) {
    if (part.part === 'notBooked') tally.notBooked += 1
    else if (part.part === 'removal') tally.takenBack += part.isReplaced ? 0 : 1
    else if (part.part === 'account') {
      shown.set(part.statement, part.record.maskedNumber)
      if (part.fault !== null) refuse(part.statement, part.fault)
      else {
        accounts += 1
        debts.add(part.record)
        lacking.push(...faultsOf(part, lineAt))
      }
    } else if (part.part === 'unreadable' && part.entity === 'Accounts') refuse(part.statement, part.reason)
    else noteMovement(byStatement, part.statement, part.part === 'unreadable' ? part.reason : faultOfMovement(part, days, lineAt))
  }
  const ofStatements = new Set(reasons.values())
  const leftOut = [...refusals.filter((reason) => !ofStatements.has(reason)), ...lacking]
  const faults = new Map<number, LocalizedText>()
  for (const [statement, reason] of reasons) {
    const { count } = byStatement.get(statement) ?? NONE
    tally.ofRefused += count
    faults.set(statement, withMovements(reason, count))
    leftOut.push(named(shown.get(statement), withMovements(reason, count)))
  }
  for (const [statement, { count, unreadable, firstReason }] of byStatement) {
    if (reasons.has(statement)) continue
    tally.read += count - unreadable
    tally.setAside += unreadable
    if (firstReason !== null) leftOut.push(named(shown.get(statement), withUnreadable(firstReason, unreadable)))
  }
  return { faults, accounts, refusals, leftOut, debts, tally }
}

const NONE: Movements = { count: 0, unreadable: 0, firstReason: null }

function noteMovement(byStatement: Map<number, Movements>, statement: number, reason: LocalizedText | null): void {
  const known = byStatement.get(statement) ?? { ...NONE }
  byStatement.set(statement, known)
  known.count += 1
  if (reason === null) return
  known.unreadable += 1
  known.firstReason ??= reason
}

function faultsOf({ record, at }: AccountPart, lineAt: (offset: number) => number): LocalizedText[] {
  const { faults } = toReadable(record, lineAt(at))
  return faults.map((fault) => named(record.maskedNumber, fault))
}

/** Fault with its account, `••••1234: Line 5: …`, when the account is known. */
function named(account: string | undefined, { en, 'fr-CA': french }: LocalizedText): LocalizedText {
  return account === undefined ? { en, 'fr-CA': french } : { en: `${account}: ${en}`, 'fr-CA': `${account} : ${french}` }
}

function withMovements({ en, 'fr-CA': french }: LocalizedText, count: number): LocalizedText {
  if (count === 0) return { en, 'fr-CA': french }
  const [said, dit] =
    count === 1
      ? ['1 transaction of this statement is left out with it.', '1 opération de ce relevé est écartée avec lui.']
      : [`${count} transactions of this statement are left out with it.`, `${count} opérations de ce relevé sont écartées avec lui.`]
  return { en: `${en} ${said}`, 'fr-CA': `${french} ${dit}` }
}

function withUnreadable({ en, 'fr-CA': french }: LocalizedText, count: number): LocalizedText {
  const [said, dit] =
    count === 1
      ? ['It is left out.', 'Elle est écartée.']
      : [`${count} transactions like it are left out.`, `${count} opérations de ce genre sont écartées.`]
  return { en: `${en} ${said}`, 'fr-CA': `${french} ${dit}` }
}
