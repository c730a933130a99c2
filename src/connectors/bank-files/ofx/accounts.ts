import { maskAccountNumber } from '../../../model/values/text.ts'
import { type AccountPart, blankAccount, toAccountId, type UnreadablePart } from '../parts.ts'
import { faultAt } from '../refusal.ts'
import { type Element, type Found, find, textOf } from '../syntax/elements.ts'
import { firstReadable } from '../values/dates.ts'
import type { Amount, StatementAccount } from '../wire.ts'

/** Statement elements, by kind of account. */
export const STATEMENTS: Readonly<Record<string, string>> = { STMTRS: 'bank', CCSTMTRS: 'card', LOANSTMTRS: 'loan' }

/** Data about accounts that completes a statement: account lists and card closings. */
export const ACCOUNT_DATA: Readonly<Record<string, string>> = {
  BANKACCTINFO: 'bank',
  CCACCTINFO: 'card',
  LOANACCTINFO: 'loan',
  CCSTMTENDRS: 'card',
}

const BALANCES: readonly string[] = ['LEDGERBAL', 'AVAILBAL', 'PRINBAL']
const OTHER_AMOUNTS: readonly string[] = ['CREDITLIMIT', 'OVERDRAFTLIMIT', 'MATURITYAMOUNT', 'LOANINITBAL', 'MINPMTDUE', 'BALCLOSE']
const OTHER_DATES: readonly string[] = ['DTPMTDUE', 'MATURITYDATE', 'DTLOANMATURITY']

/** Common data of the movements of one statement. */
export interface Identity {
  origId: string
  bankId: string | null
  number: string
  type: string | null
  currency: string
}

export function accountPart(found: Found, statement: number, lineAt: (offset: number) => number): AccountPart | UnreadablePart {
  const { element, ancestors } = found
  const bank = signOn(ancestors)
  const identity = identify(element, bank)
  if (identity === null) {
    const reason = faultAt(lineAt(element.offset), 'a statement names no account (ACCTID).', 'un relevé ne nomme aucun compte (ACCTID).')
    return { part: 'unreadable', statement, entity: 'Accounts', reason, at: element.offset }
  }
  const record: StatementAccount = {
    ...blankAccount('ofx', identity.origId, maskAccountNumber(identity.number)),
    bankId: identity.bankId,
    bankName: textOf(find(bank, 'FI'), 'ORG') ?? (identity.bankId === null ? numberOfIntuit(bank) : null),
    name: textOf(
      ancestors.findLast((ancestor) => ancestor.name === 'ACCTINFO'),
      'DESC',
    ),
    statementKind: STATEMENTS[element.name] ?? ACCOUNT_DATA[element.name] ?? null,
    type: identity.type,
    status: textOf(element, 'SVCSTATUS') ?? textOf(element, 'SVCSTATUS2'),
    classification: textOf(element, 'ACCTCLASSIFICATION'),
    lender: textOf(element, 'LENDER'),
    rate: textOf(element, 'LOANIRATE', 'LOANINTRATE') ?? textOf(element, 'LOANRATE', 'LOANINTRATE'),
    currency: identity.currency,
    amounts: amountsOf(element),
    dates: datesOf(element, bank),
  }
  const isStatement = Object.hasOwn(STATEMENTS, element.name)
  const asOf = isStatement ? asOfStatement(element, record) : null
  return { part: 'account', statement, record, asOf, accountNumber: identity.number, at: element.offset, fault: null }
}

/** First readable date among those of the balances. */
function asOfStatement(element: Element, { amounts, dates }: StatementAccount): string | null {
  const { LEDGERBAL, PRINBAL, AVAILBAL } = amounts
  const period = textOf(element, 'BANKTRANLIST', 'DTEND') ?? textOf(element, 'LOANTRANLIST', 'DTEND')
  return firstReadable('ofx', [LEDGERBAL?.date, PRINBAL?.date, AVAILBAL?.date, period, dates.DTSERVER])
}

function amountsOf(element: Element): Record<string, Amount> {
  const amounts: Record<string, Amount> = {}
  for (const name of BALANCES) {
    const balance = find(element, name)
    const text = textOf(balance, 'BALAMT')
    if (text !== null) amounts[name] = amountOf(text, textOf(balance, 'DTASOF'))
  }
  const closing = element.children.findLast((child) => child.name === 'CCCLOSING')
  for (const name of OTHER_AMOUNTS) {
    const text = textOf(element, name) ?? textOf(closing, name)
    if (text !== null) amounts[name] = amountOf(text, null)
  }
  return amounts
}

function datesOf(element: Element, bank: Element | undefined): Record<string, string> {
  const dates: Record<string, string> = {}
  const closing = element.children.findLast((child) => child.name === 'CCCLOSING')
  const server = textOf(bank, 'DTSERVER')
  if (server !== null) dates.DTSERVER = server
  for (const name of OTHER_DATES) {
    const text = textOf(element, name) ?? textOf(closing, name)
    if (text !== null) dates[name] = text
  }
  return dates
}

export function signOn(ancestors: readonly Element[]): Element | undefined {
  return find(ancestors[0], 'SIGNONMSGSRSV1', 'SONRS') ?? find(ancestors[0], 'SIGNONMSGSRSV2', 'SONRS')
}

/**
 * Number of the bank in Intuit's list (QFX). NOTE not part of the account id, which is older than the reading of this
 * number.
 */
function numberOfIntuit(bank: Element | undefined): string | null {
  const number = textOf(bank, 'INTU.BID') ?? textOf(find(bank, 'FI'), 'INTU.BID')
  return number === null ? null : `INTU.BID ${number}`
}

/** Account of the statement; cards and loans have no bank id, and the signer's id takes its place. */
export function identify(element: Element, bank: Element | undefined): Identity | null {
  const from = element.children.find((child) => /^(BANK|CC|LOAN)ACCTFROM2?$/.test(child.name))
  const number = textOf(from, 'ACCTID') ?? textOf(from, 'LOANACCTID')
  if (number === null) return null
  const branch = textOf(from, 'BRANCHID')
  const routing = textOf(from, 'BANKID')
  const bankId =
    routing === null ? (textOf(bank, 'FI', 'FID') ?? textOf(bank, 'FI', 'ORG')) : [routing, branch].filter((id) => id !== null).join('-')
  return {
    origId: toAccountId(bankId, number),
    bankId,
    number,
    type: textOf(from, 'ACCTTYPE') ?? textOf(from, 'LOANACCTTYPE') ?? textOf(element, 'LOANTYPE'),
    currency: (textOf(element, 'CURDEF') ?? '').toUpperCase(),
  }
}

export function amountOf(text: string, date: string | null): Amount {
  return { text, mark: null, unit: 'major', currency: null, date }
}
