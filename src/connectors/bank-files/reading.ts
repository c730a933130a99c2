import type { LocalizedText } from '../../model/text.ts'
import type { SourceItem } from '../contract.ts'
import { plainAmount } from './amounts.ts'
import { readDay, readVersion } from './dates.ts'
import { detectFormat } from './detect.ts'
import { maskText } from './masking.ts'
import { type AccountPart, type Part, shortHash, type TransactionPart } from './parts.ts'
import { faultAt, lineCounter } from './refusal.ts'
import type { Amount, Format, StatementAccount, StatementTransaction } from './wire.ts'

/** Sorts before every statement: mere account data never replaces a balance. */
const NO_STATEMENT = '0000-01-01T00:00:00.000Z'

const MAX_KNOWN_DAYS = 10_000

interface Reading {
  parts(): Generator<Part, void>
  lineAt(offset: number): number
}

/** What a first pass over a file finds out. */
interface Verdict {
  /** By statement: why its records are set aside. */
  faults: ReadonlyMap<number, LocalizedText>
  accounts: number
  /** What could not be read at all, e.g. an error that the bank wrote into the file. */
  unreadable: readonly LocalizedText[]
}

/** Recognizes a file; throws `InputRefused` for one that is no statement. */
export function openFile(bytes: Uint8Array): Reading {
  const { text, parser } = detectFormat(bytes)
  const lineAt = lineCounter(text)
  return { parts: () => parser(text, lineAt), lineAt }
}

/** Reads the whole file and keeps only what is wrong with it; throws `InputRefused` for a broken one. */
export function verifyFile(reading: Reading): Verdict {
  const faults = new Map<number, LocalizedText>()
  const unreadable: LocalizedText[] = []
  let accounts = 0
  for (const part of reading.parts()) {
    if (part.part === 'unreadable' && part.entity === 'Accounts') unreadable.push(part.reason)
    if (part.part !== 'account') continue
    accounts += 1
    const fault = part.fault ?? faultOfAccount(part, reading)
    if (fault !== null) faults.set(part.statement, fault)
  }
  return { faults, accounts, unreadable }
}

/** The records of a verified file: transactions as they come, then each account once, by its newest statement. */
export function* readItems(reading: Reading, verdict: Verdict): Generator<SourceItem, void> {
  const accounts = new Map<string, AccountPart>()
  const supplements: AccountPart[] = []
  let ids = new TransactionIds(-1)
  const days = new CheckedDays()
  for (const part of reading.parts()) {
    const fault = verdict.faults.get(part.statement)
    if (part.part === 'unreadable') yield { entity: part.entity, origId: null, unreadable: part.reason.en }
    else if (part.part === 'account') {
      if (fault !== undefined) yield { entity: 'Accounts', origId: part.record.origId, unreadable: fault.en }
      else if (part.asOf === null) supplements.push(part)
      else if (isNewer(part, accounts.get(part.record.origId))) accounts.set(part.record.origId, part)
    } else if (fault === undefined) {
      if (ids.statement !== part.statement) ids = new TransactionIds(part.statement)
      if (part.part === 'removal')
        yield { entity: 'Transactions', origId: shortHash(part.accountOrigId, 'fitid', part.fitid), removed: true }
      else yield transactionItem(part, ids.next(part), days, reading)
    }
  }
  for (const part of supplements) complete(accounts, part)
  for (const part of accounts.values()) {
    const { record, accountNumber } = part
    const wire: StatementAccount = {
      ...record,
      name: maskText(record.name, accountNumber),
      bankName: maskText(record.bankName, accountNumber),
    }
    yield { entity: 'Accounts', origId: record.origId, wire, version: versionOf(part) }
  }
}

/** Ids of the transactions of one statement: the bank's own, or content with a count among equals, so that a second upload finds them again. */
class TransactionIds {
  readonly statement: number
  readonly #seen = new Map<string, number>()
  readonly #fitids = new Map<string, string>()

  constructor(statement: number) {
    this.statement = statement
  }

  next({ record, fitid }: TransactionPart): string {
    const { accountOrigId, amount } = record
    if (fitid !== null) {
      const id = shortHash(accountOrigId, 'fitid', fitid)
      const content = `${record.booked} ${amount.text}`
      const known = this.#fitids.get(id)
      if (known === undefined) this.#fitids.set(id, content)
      // NOTE some banks number from 1 in each batch: a reused id with another day or amount is another transaction.
      return known === undefined || known === content ? id : shortHash(accountOrigId, 'fitid', fitid, content)
    }
    const content = shortHash(
      accountOrigId,
      record.booked,
      record.valued,
      amount.text,
      amount.mark,
      record.currency,
      record.type,
      record.name,
      record.text,
      record.reference,
    )
    const count = this.#seen.get(content) ?? 0
    this.#seen.set(content, count + 1)
    return count === 0 ? content : `${content}-${count}`
  }
}

/** Remembers the days that it has found to exist: a statement names the same ones again and again. */
class CheckedDays {
  readonly #known = new Set<string>()

  isDay(format: Format, text: string | null): boolean {
    if (text === null || this.#known.has(text)) return true
    if (!isDate(() => readDay(format, text))) return false
    if (this.#known.size >= MAX_KNOWN_DAYS) this.#known.clear()
    this.#known.add(text)
    return true
  }
}

function transactionItem(part: TransactionPart, origId: string, days: CheckedDays, reading: Reading): SourceItem {
  const { record, accountNumber } = part
  const wrong = wrongField(record, days)
  if (wrong !== null) {
    return { entity: 'Transactions', origId, unreadable: `Line ${reading.lineAt(part.at)}: the ${wrong} of a transaction cannot be read.` }
  }
  const wire: StatementTransaction = {
    ...record,
    origId,
    name: maskText(record.name, accountNumber),
    text: maskText(record.text, accountNumber),
    reference: maskText(record.reference, accountNumber),
  }
  return { entity: 'Transactions', origId, wire }
}

function wrongField(record: TransactionPart['record'], days: CheckedDays): string | null {
  if (plainAmount(record.amount.text) === null) return 'amount'
  for (const field of ['booked', 'initiated', 'valued'] as const) {
    if (!days.isDay(record.format, record[field])) return `date (${field})`
  }
  return record.booked === null || record.booked === '' ? 'booking date' : null
}

function faultOfAccount({ record, asOf, at }: AccountPart, reading: Reading): LocalizedText | null {
  const amounts: [string, Amount][] = Object.entries(record.amounts)
  const dates = [
    ...Object.entries(record.dates),
    ...amounts.map(([code, amount]): [string, string | null] => [code, amount.date]),
    ['', asOf] as const,
  ]
  const isWrongRate = record.rate !== null && plainAmount(record.rate.replace('%', '')) === null
  const wrongAmount = isWrongRate ? 'LOANINTRATE' : amounts.find(([, amount]) => plainAmount(amount.text) === null)?.[0]
  if (wrongAmount !== undefined) {
    const line = reading.lineAt(at)
    return faultAt(line, `the amount ${wrongAmount} of an account cannot be read.`, `le montant ${wrongAmount} d’un compte est illisible.`)
  }
  const wrongDate = dates.find(([, date]) => !isDate(() => readVersion(record.format, date)))?.[0]
  if (wrongDate === undefined) return null
  const line = reading.lineAt(at)
  return faultAt(line, `a date of an account does not exist (${wrongDate}).`, `une date d’un compte n’existe pas (${wrongDate}).`)
}

function isDate(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

function versionOf(part: AccountPart): string {
  return readVersion(part.record.format, part.asOf) ?? NO_STATEMENT
}

function isNewer(part: AccountPart, known: AccountPart | undefined): boolean {
  return known === undefined || versionOf(part) >= versionOf(known)
}

/** Adds what mere account data says and the statement does not. */
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
