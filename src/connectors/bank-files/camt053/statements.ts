import { type LocalizedText, maskAccountNumber } from '../../../model/values/text.ts'
import { blankAccount, NO_STATEMENT, type Part, type TransactionPart, toAccountId } from '../parts.ts'
import { faultAt, movementOfNoAccount, refused } from '../refusal.ts'
import { type Element, find, textOf, walkElements } from '../syntax/elements.ts'
import { attribute } from '../syntax/entities.ts'
import { firstReadable } from '../values/dates.ts'
import type { Amount, StatementAccount } from '../wire.ts'
import { categoryOf, counterpartyOf, dateOf, describe } from './entries.ts'
import { StatementSum } from './sums.ts'

/**
 * camt.053.001.02 to .08; where they differ (`Pty`, `Sts/Cd`, `BICFI`) both forms are read.
 * Source: https://www.iso20022.org/iso-20022-message-definitions
 */

const STREAMED: ReadonlySet<string> = new Set(['Ntry', 'Stmt'])

/** ISO 20022 entry status of a booking; pending and informational entries are left out, a later file would not take them back. */
const BOOKED = 'BOOK'

interface Account {
  /** Day of entries without one; `''` when the statement has none either; null until first needed. */
  closingDay: string | null
  record: StatementAccount
  number: string
  sum: StatementSum
}

export function* parseCamt053(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  let statement = 0
  let account: Account | null = null
  let of: Element | null = null
  for (const { element, ancestors } of walkElements(text, { dialect: 'xml', streamed: STREAMED, lineAt })) {
    const around = element.name === 'Stmt' ? element : ancestors.findLast((ancestor) => ancestor.name === 'Stmt')
    if (around === undefined) {
      yield {
        part: 'unreadable',
        statement: NO_STATEMENT,
        entity: 'Transactions',
        reason: ofNoAccount(element, lineAt),
        at: element.offset,
      }
      continue
    }
    if (of !== around) account = openAccount(around, ancestors[1])
    of = around
    if (account === null) {
      if (element.name !== 'Stmt') {
        yield { part: 'unreadable', statement, entity: 'Transactions', reason: ofNoAccount(element, lineAt), at: element.offset }
        continue
      }
      const reason = faultAt(lineAt(element.offset), 'a statement (Stmt) names no account.', 'un relevé (Stmt) ne nomme aucun compte.')
      yield { part: 'unreadable', statement, entity: 'Accounts', reason, at: element.offset }
    } else if (element.name === 'Stmt') {
      const balances = account.sum.addBalances(element.children)
      const record = { ...account.record, currency: balances.closing?.currency ?? account.record.currency, amounts: balances.amounts }
      const asOf = firstReadable('camt053', [balances.closing?.date, textOf(element, 'FrToDt', 'ToDtTm'), record.dates.CreDtTm])
      const fault = account.sum.fault(lineAt)
      yield { part: 'account', statement, record, asOf, accountNumber: account.number, at: element.offset, fault }
    } else if (isBooked(element)) {
      account.sum.addEntry(element)
      account.closingDay ??= closingDay(around)
      yield entryPart(element, account, statement)
    } else yield { part: 'notBooked', statement, at: element.offset }
    if (element.name === 'Stmt') statement += 1
  }
  if (statement === 0) throw refused('The camt.053 file holds no statement (Stmt).', 'Le fichier camt.053 ne contient aucun relevé (Stmt).')
}

function openAccount(statement: Element, message: Element | undefined): Account | null {
  const account = find(statement, 'Acct')
  const number = textOf(account, 'Id', 'IBAN') ?? textOf(account, 'Id', 'Othr', 'Id') ?? textOf(account, 'Id', 'PrtryAcct', 'Id')
  if (number === null) return null
  const servicer = find(account, 'Svcr', 'FinInstnId')
  const bankId =
    textOf(servicer, 'BICFI') ?? textOf(servicer, 'BIC') ?? textOf(servicer, 'ClrSysMmbId', 'MmbId') ?? textOf(servicer, 'Othr', 'Id')
  const created = textOf(statement, 'CreDtTm') ?? textOf(find(message, 'GrpHdr'), 'CreDtTm')
  const record: StatementAccount = {
    ...blankAccount('camt053', toAccountId(bankId, number), maskAccountNumber(number)),
    bankId,
    bankName: textOf(servicer, 'Nm'),
    name: textOf(account, 'Nm'),
    type: textOf(account, 'Tp', 'Cd') ?? textOf(account, 'Tp', 'Prtry'),
    currency: textOf(account, 'Ccy') ?? '',
    dates: created === null ? {} : { CreDtTm: created },
  }
  return { closingDay: null, record, number, sum: new StatementSum() }
}

/**
 * Closing day of the statement: of its closing balance, else the end of its period. An entry may name neither booking
 * nor value day.
 * Source: https://www.iso20022.org/iso-20022-message-definitions (camt.053: ReportEntry, BookingDate and ValueDate 0..1)
 */
function closingDay(statement: Element): string {
  const balances = statement.children.filter((child) => child.name === 'Bal')
  const closing = balances.findLast((balance) => textOf(balance, 'Tp', 'CdOrPrtry', 'Cd') === 'CLBD')
  return (
    firstReadable('camt053', [dateOf(find(closing, 'Dt')), textOf(statement, 'FrToDt', 'ToDtTm'), textOf(statement, 'FrToDt', 'ToDt')]) ??
    ''
  )
}

function ofNoAccount(entry: Element, lineAt: (offset: number) => number): LocalizedText {
  return movementOfNoAccount(lineAt(entry.offset))
}

function isBooked(entry: Element): boolean {
  const status = textOf(entry, 'Sts', 'Cd') ?? textOf(entry, 'Sts')
  return status === null || status === BOOKED
}

function entryPart(entry: Element, account: Account, statement: number): TransactionPart {
  const amount = find(entry, 'Amt')
  const currency = attribute(amount?.attributes ?? '', 'Ccy') ?? account.record.currency
  const mark = textOf(entry, 'CdtDbtInd')
  const money: Amount = { text: amount?.text ?? '', mark, unit: 'major', currency, date: null }
  return {
    part: 'transaction',
    statement,
    record: {
      format: 'camt053',
      accountOrigId: account.record.origId,
      amount: money,
      currency,
      type: categoryOf(entry),
      booked: dateOf(find(entry, 'BookgDt')) ?? dateOf(find(entry, 'ValDt')) ?? (account.closingDay || null),
      initiated: dateOf(find(entry, 'NtryDtls', 'TxDtls', 'RltdDts')),
      valued: dateOf(find(entry, 'ValDt')),
      name: counterpartyOf(entry, mark === 'DBIT'),
      text: describe(entry),
      reference: textOf(entry, 'AcctSvcrRef'),
    },
    fitid: null,
    accountNumber: account.number,
    at: entry.offset,
  }
}
