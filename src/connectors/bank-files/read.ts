import type { SourceItem } from '../contract/contract.ts'
import { fullNumbers } from '../toolkit/values/full-numbers.ts'
import { toReadable } from './account-faults.ts'
import { detectFormat } from './detect.ts'
import { CheckedDays, faultOfMovement } from './movement-faults.ts'
import { type AccountPart, type Part, shortHash, type TransactionPart } from './parts.ts'
import { lineCounter } from './refusal.ts'
import { dosAsWindows } from './syntax/dos-text.ts'
import { readVersion } from './values/dates.ts'
import { maskText } from './values/masking.ts'
import { TransactionIds } from './values/transaction-ids.ts'
import { type Verification, verifyParts } from './verification.ts'
import type { StatementAccount, StatementTransaction } from './wire.ts'

/** Version that sorts before every statement: mere account data never replaces a balance. */
const NO_VERSION = '0000-01-01T00:00:00.000Z'

export interface Reading {
  parts(): Generator<Part, void>
  lineAt(offset: number): number
  /** Text in its former decoding, from which ids were first computed. */
  former(text: string): string
}

/** Opens a file of a known format; throws `InputRefused` for one that is no statement. */
export function openFile(bytes: Uint8Array): Reading {
  const { text, parser, isDos } = detectFormat(bytes)
  const lineAt = lineCounter(text)
  return { parts: () => parser(text, lineAt), lineAt, former: isDos ? dosAsWindows : (plain) => plain }
}

/** Verifies the whole file and keeps only its faults; throws `InputRefused` for a broken one. */
export function verifyFile(reading: Reading): Verification {
  return verifyParts(reading.parts(), (offset) => reading.lineAt(offset))
}

/** Records of a verified file: transactions in file order, then each account once, by its newest statement. */
export function* readItems(reading: Reading, verdict: Verification): Generator<SourceItem, void> {
  const accounts = new Map<string, AccountPart>()
  const supplements: AccountPart[] = []
  const movements = new MovementItems(reading)
  for (const part of reading.parts()) {
    const fault = verdict.faults.get(part.statement)
    if (part.part === 'account') {
      if (fault !== undefined) yield { entity: 'Accounts', origId: part.record.origId, unreadable: fault.en }
      else if (part.asOf === null) supplements.push(part)
      else if (isNewer(part, accounts.get(part.record.origId))) accounts.set(part.record.origId, part)
    } else if (part.part === 'unreadable') {
      if (part.entity === 'Accounts') yield { entity: part.entity, origId: null, unreadable: (fault ?? part.reason).en }
      else if (fault === undefined) yield { entity: part.entity, origId: null, unreadable: part.reason.en }
    } else if (fault === undefined) {
      if (part.part === 'removal')
        yield { entity: 'Transactions', origId: shortHash(part.accountOrigId, 'fitid', part.fitid), removed: true }
      else if (part.part === 'transaction') yield movements.of(part)
    }
  }
  for (const part of supplements) complete(accounts, part)
  for (const part of accounts.values()) yield* accountItems(part, reading, verdict)
}

function* accountItems(part: AccountPart, reading: Reading, { debts }: Verification): Generator<SourceItem, void> {
  const { accountNumber } = part
  const { record, faults } = toReadable(part.record, reading.lineAt(part.at))
  for (const fault of faults) yield { entity: 'Accounts', origId: null, unreadable: fault.en }
  const owed = debts.of(record)
  const wire: StatementAccount = {
    ...record,
    ...(owed === undefined ? {} : { owed }),
    name: maskText(record.name, accountNumber),
    bankName: maskText(record.bankName, accountNumber),
  }
  yield { entity: 'Accounts', origId: record.origId, wire, version: versionOf(part), numbers: fullNumbers(accountNumber) }
}

/** Assigns ids to the transactions of a file and masks their texts. */
class MovementItems {
  readonly #reading: Reading
  readonly #days = new CheckedDays()
  #ids = new TransactionIds(-1)

  constructor(reading: Reading) {
    this.#reading = reading
  }

  of(part: TransactionPart): SourceItem {
    const { former, lineAt } = this.#reading
    if (this.#ids.statement !== part.statement) this.#ids = new TransactionIds(part.statement, former)
    const { record, accountNumber } = part
    const origId = this.#ids.next(part)
    const fault = faultOfMovement(part, this.#days, lineAt)
    if (fault !== null) return { entity: 'Transactions', origId, unreadable: fault.en }
    const wire: StatementTransaction = {
      ...record,
      origId,
      name: maskText(record.name, accountNumber),
      text: maskText(record.text, accountNumber),
      reference: maskText(record.reference, accountNumber),
    }
    return { entity: 'Transactions', origId, wire }
  }
}

function versionOf(part: AccountPart): string {
  return readVersion(part.record.format, part.asOf) ?? NO_VERSION
}

function isNewer(part: AccountPart, known: AccountPart | undefined): boolean {
  return known === undefined || versionOf(part) >= versionOf(known)
}

/** Completes a statement's account with mere account data. */
function complete(accounts: Map<string, AccountPart>, { record, ...rest }: AccountPart): void {
  const known = accounts.get(record.origId)
  if (known === undefined) {
    accounts.set(record.origId, { ...rest, record })
    return
  }
  const base = known.record
  const merged: StatementAccount = {
    ...base,
    name: base.name ?? record.name,
    bankName: base.bankName ?? record.bankName,
    type: base.type ?? record.type,
    status: base.status ?? record.status,
    classification: base.classification ?? record.classification,
    lender: base.lender ?? record.lender,
    rate: base.rate ?? record.rate,
    currency: base.currency || record.currency,
    amounts: { ...record.amounts, ...base.amounts },
    dates: { ...record.dates, ...base.dates },
  }
  accounts.set(record.origId, { ...known, record: merged })
}
