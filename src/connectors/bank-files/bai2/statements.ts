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
/** Group status: only updates (1) and corrections (3) carry data to take. */
const TAKEN_STATUSES: ReadonlySet<string> = new Set(['', '1', '3'])

export function* parseBai2(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  const file: Totals = { amount: new ExactSum(), records: 0, parts: 0, isWhole: true }
  let created: string | null = null
  let group: Group | null = null
  let account: Account | null = null
  let statement = 0
  let isEnded = false
  let lastAt = 0
  for (const record of readRecords(text, lineAt)) {
    const fields = record.code === '16' ? NO_FIELDS : record.body.split(',').map((field) => field.trim())
    const { count } = record
    file.records += count
    lastAt = record.at
    if (isEnded || (record.code === '01') !== (created === null)) throw outOfOrder(record, lineAt)
    if (group !== null) group.records += count
    if (account !== null) account.records += count
    switch (record.code) {
      case '01':
        created = [fields[2], fields[3]].join(' ')
        break
      case '02':
        if (group !== null) throw outOfOrder(record, lineAt)
        group = openGroup(fields, count)
        break
      case '03':
        if (group === null) throw outOfOrder(record, lineAt)
        if (account !== null) {
          yield endWithoutTrailer(account, group, file, statement, record, lineAt)
          statement += 1
        }
        account = openAccount(fields, group, created ?? '', record, lineAt)
        group.parts += 1
        break
      case '16': {
        if (account === null || group === null) throw outOfOrder(record, lineAt)
        yield detailPart(record, account, group, statement, lineAt)
        break
      }
      case '49':
        if (account === null || group === null) throw outOfOrder(record, lineAt)
        account.fault ??= accountFault(fields, account, group, lineAt(record.at))
        yield accountPart(account, group, statement, record.at)
        group.amount.add(wholeNumber(fields[0]) ?? account.amount.total)
        account = null
        statement += 1
        break
      case '98':
        if (group === null) throw outOfOrder(record, lineAt)
        if (account !== null) {
          yield endWithoutTrailer(account, group, file, statement, record, lineAt)
          account = null
          statement += 1
        }
        refuse(groupFault(fields, group, 'account', lineAt(record.at)))
        file.amount.add(wholeNumber(fields[0]) ?? group.amount.total)
        file.parts += 1
        group = null
        break
      default:
        if (group !== null) throw outOfOrder(record, lineAt)
        if (!record.isClosed && wholeNumber(fields[0]) === null) throw withoutTrailer(lineAt(record.at))
        refuse(groupFault(fields, file, 'group', lineAt(record.at)))
        isEnded = true
    }
  }
  if (!isEnded) throw withoutTrailer(lineAt(lastAt))
}

function accountPart(account: Account, group: Group, statement: number, at: number): Part {
  const { record, number, fault } = account
  if (number === '' && fault !== null) return { part: 'unreadable', statement, entity: 'Accounts', reason: fault, at }
  const asOf = isReadable('bai2', group.asOf) ? group.asOf : null
  return { part: 'account', statement, record, asOf, accountNumber: number, at, fault }
}

/** An account whose trailer is left out cannot be held against anything; `next` is the record that stands in its place. */
function endWithoutTrailer(
  account: Account,
  group: Group,
  file: Totals,
  statement: number,
  next: BaiRecord,
  lineAt: (offset: number) => number,
): Part {
  group.isWhole = false
  file.isWhole = false
  account.fault ??= faultAt(
    lineAt(next.at),
    'the account before this record has no trailer (49).',
    'le compte qui précède cet enregistrement n’a pas d’enregistrement final (49).',
  )
  return accountPart(account, group, statement, next.at)
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
