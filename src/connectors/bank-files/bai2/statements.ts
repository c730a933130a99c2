import type { LocalizedText } from '../../../model/values/text.ts'
import { InputRefused } from '../../contract/authorization.ts'
import type { Part } from '../parts.ts'
import { cutAt, faultAt, refusedAt } from '../refusal.ts'
import { ExactSum } from '../values/amounts.ts'
import { isReadable } from '../values/dates.ts'
import { type Account, detailPart, type Group, openAccount, type Totals } from './accounts.ts'
import { type BaiRecord, readRecords } from './records.ts'
import { trailerFault, wholeNumber } from './totals.ts'

/**
 * BAI2, Cash Management Balance Reporting, version 2.
 * Source: https://www.bai.org/docs/default-source/libraries/site-general-downloads/cash_management_2005.pdf
 */

const NO_FIELDS: readonly string[] = []
const DEFAULT_CURRENCY = 'USD'
/** Group status: only updates (1) and corrections (3) carry data to import. */
const TAKEN_STATUSES: ReadonlySet<string> = new Set(['', '1', '3'])

export function* parseBai2(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  const reader = new RecordReader(lineAt)
  for (const record of readRecords(text, lineAt)) {
    const part = reader.read(record)
    if (part !== null) yield part
  }
  reader.end()
}

/** Reader of the records of a file, in their order: a file holds groups, a group accounts, an account details. */
class RecordReader {
  readonly #lineAt: (offset: number) => number
  readonly #file: Totals = { amount: new ExactSum(), records: 0, parts: 0, isWhole: true }
  #created: string | null = null
  #group: Group | null = null
  #account: Account | null = null
  /** Number of accounts that are complete. */
  #statement = 0
  #isEnded = false
  #lastAt = 0

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt
  }

  /** Part that this record completes, or that is unreadable. Throws when the record is out of order. */
  read(record: BaiRecord): Part | null {
    const fields = record.code === '16' ? NO_FIELDS : record.body.split(',').map((field) => field.trim())
    this.#count(record)
    switch (record.code) {
      case '01':
        this.#created = [fields[2], fields[3]].join(' ')
        return null
      case '02':
        if (this.#group !== null) throw outOfOrder(record, this.#lineAt)
        this.#group = openGroup(fields, record.count)
        return null
      case '03':
        return this.#beginAccount(record, fields)
      case '16':
        if (this.#account === null || this.#group === null) throw outOfOrder(record, this.#lineAt)
        return detailPart(record, this.#account, this.#group, this.#statement, this.#lineAt)
      case '49':
        return this.#endAccount(record, fields)
      case '98':
        return this.#endGroup(record, fields)
      default:
        return this.#endFile(record, fields)
    }
  }

  /** Throws when the file has no trailer. */
  end(): void {
    if (!this.#isEnded) throw withoutTrailer(this.#lineAt(this.#lastAt))
  }

  #count(record: BaiRecord): void {
    this.#file.records += record.count
    this.#lastAt = record.at
    if (this.#isEnded || (record.code === '01') !== (this.#created === null)) throw outOfOrder(record, this.#lineAt)
    if (this.#group !== null) this.#group.records += record.count
    if (this.#account !== null) this.#account.records += record.count
  }

  #beginAccount(record: BaiRecord, fields: readonly string[]): Part | null {
    if (this.#group === null) throw outOfOrder(record, this.#lineAt)
    const before = this.#endWithoutTrailer(record, this.#group)
    this.#account = openAccount(fields, this.#group, this.#created ?? '', record, this.#lineAt)
    this.#group.parts += 1
    return before
  }

  #endAccount(record: BaiRecord, fields: readonly string[]): Part {
    const [account, group] = [this.#account, this.#group]
    if (account === null || group === null) throw outOfOrder(record, this.#lineAt)
    account.fault ??= accountFault(fields, account, group, this.#lineAt(record.at))
    const part = accountPart(account, group, this.#statement, record.at)
    group.amount.add(wholeNumber(fields[0]) ?? account.amount.total)
    this.#account = null
    this.#statement += 1
    return part
  }

  #endGroup(record: BaiRecord, fields: readonly string[]): Part | null {
    const group = this.#group
    if (group === null) throw outOfOrder(record, this.#lineAt)
    const before = this.#endWithoutTrailer(record, group)
    refuse(groupFault(fields, group, 'account', this.#lineAt(record.at)))
    this.#file.amount.add(wholeNumber(fields[0]) ?? group.amount.total)
    this.#file.parts += 1
    this.#group = null
    return before
  }

  #endFile(record: BaiRecord, fields: readonly string[]): null {
    if (this.#group !== null) throw outOfOrder(record, this.#lineAt)
    if (!record.isClosed && wholeNumber(fields[0]) === null) throw withoutTrailer(this.#lineAt(record.at))
    refuse(groupFault(fields, this.#file, 'group', this.#lineAt(record.at)))
    this.#isEnded = true
    return null
  }

  /** An account without a trailer cannot be checked; `next` is the record found instead. */
  #endWithoutTrailer(next: BaiRecord, group: Group): Part | null {
    const account = this.#account
    if (account === null) return null
    group.isWhole = false
    this.#file.isWhole = false
    account.fault ??= faultAt(
      this.#lineAt(next.at),
      'the account before this record has no trailer (49).',
      'le compte qui précède cet enregistrement n’a pas d’enregistrement final (49).',
    )
    const part = accountPart(account, group, this.#statement, next.at)
    this.#account = null
    this.#statement += 1
    return part
  }
}

function accountPart(account: Account, group: Group, statement: number, at: number): Part {
  const { record, number, fault } = account
  if (number === '' && fault !== null) return { part: 'unreadable', statement, entity: 'Accounts', reason: fault, at }
  const asOf = isReadable('bai2', group.asOf) ? group.asOf : null
  return { part: 'account', statement, record, asOf, accountNumber: number, at, fault }
}

function withoutTrailer(line: number): Error {
  return cutAt(line, 'the file ends without its trailer (record 99).', 'le fichier se termine sans son enregistrement final (99).')
}

function openGroup(fields: readonly string[], records: number): Group {
  const [receiver = '', originator = '', status = '', date = '', time = '', currency = ''] = fields
  return {
    bankId: originator || receiver,
    status,
    date,
    asOf: `${date} ${time}`,
    currency: currency || DEFAULT_CURRENCY,
    amount: new ExactSum(),
    records,
    parts: 0,
    isWhole: true,
  }
}

function accountFault(fields: readonly string[], account: Account, group: Group, line: number): LocalizedText | null {
  if (!TAKEN_STATUSES.has(group.status)) {
    return faultAt(
      line,
      'the group is a deletion or a test and is not taken.',
      'le groupe est une suppression ou un essai et n’est pas retenu.',
    )
  }
  return trailerFault(line, '49', [
    { stated: fields[0], found: account.amount.total, en: 'the control total', french: 'le total de contrôle' },
    { stated: fields[1], found: BigInt(account.records), en: 'the number of records', french: 'le nombre d’enregistrements' },
  ])
}

function groupFault(fields: readonly string[], totals: Totals, of: 'account' | 'group', line: number): LocalizedText | null {
  const isGroup = of === 'account'
  return trailerFault(line, isGroup ? '98' : '99', [
    { stated: totals.isWhole ? fields[0] : '', found: totals.amount.total, en: 'the control total', french: 'le total de contrôle' },
    {
      stated: fields[1],
      found: BigInt(totals.parts),
      en: `the number of ${of}s`,
      french: isGroup ? 'le nombre de comptes' : 'le nombre de groupes',
    },
    { stated: fields[2], found: BigInt(totals.records), en: 'the number of records', french: 'le nombre d’enregistrements' },
  ])
}

function refuse(fault: LocalizedText | null): void {
  if (fault !== null) throw new InputRefused(fault)
}

function outOfOrder(record: BaiRecord, lineAt: (offset: number) => number): Error {
  const { code } = record
  return refusedAt(
    lineAt(record.at),
    `record ${code} stands where it may not.`,
    `l’enregistrement ${code} se trouve à un endroit interdit.`,
  )
}
