import type { LocalizedText } from '../../../model/text.ts'
import { maskAccountNumber } from '../../../model/text.ts'
import { type Element, type Found, find, textOf, walkElements } from '../elements.ts'
import { type AccountPart, blankAccount, type Part, type TransactionPart, toAccountId, type UnreadablePart } from '../parts.ts'
import { faultAt, refused } from '../refusal.ts'
import type { Amount, StatementAccount } from '../wire.ts'

/**
 * OFX 1.x (SGML) and 2.x (XML), QFX and QBO, which are OFX with INTU tags. Source: https://financialdataexchange.org/ofx (specifications
 * 1.6 and 2.2); element names of loans from the schema of 2.2.
 */

const TRANSACTIONS: ReadonlySet<string> = new Set(['STMTTRN', 'LOANSTMTTRN'])

/** Statements, by what they are of. */
const STATEMENTS: Readonly<Record<string, string>> = { STMTRS: 'bank', CCSTMTRS: 'card', LOANSTMTRS: 'loan' }

/** Data about accounts that completes a statement: account lists and card closings. */
const ACCOUNT_DATA: Readonly<Record<string, string>> = {
  BANKACCTINFO: 'bank',
  CCACCTINFO: 'card',
  LOANACCTINFO: 'loan',
  CCSTMTENDRS: 'card',
}

const RESPONSES: ReadonlySet<string> = new Set(['STMTTRNRS', 'CCSTMTTRNRS', 'LOANSTMTTRNRS', 'INVSTMTTRNRS'])

/** Not booked yet: a later file would not take them back, so they are left out. */
const PENDING: readonly string[] = ['STMTTRNP', 'LOANSTMTTRNP', 'BANKTRANLISTP', 'LOANTRANLISTP']

const STREAMED: ReadonlySet<string> = new Set([
  ...TRANSACTIONS,
  ...Object.keys(STATEMENTS),
  ...Object.keys(ACCOUNT_DATA),
  ...RESPONSES,
  ...PENDING,
  'INVSTMTRS',
])

/** Elements that hold text only, in case one is empty and not closed. */
const LEAVES: ReadonlySet<string> = new Set(
  'NAME MEMO CHECKNUM REFNUM FITID SRVRTID DTUSER DTAVAIL SIC PAYEEID EXTDNAME TRNTYPE BRANCHID ACCTKEY LANGUAGE ORG FID MESSAGE MKTGINFO DTPROFUP DTACCTUP DESC PHONE CORRECTFITID CORRECTACTION'.split(
    ' ',
  ),
)

const BALANCES: readonly string[] = ['LEDGERBAL', 'AVAILBAL', 'PRINBAL']
const OTHER_AMOUNTS: readonly string[] = ['CREDITLIMIT', 'OVERDRAFTLIMIT', 'MATURITYAMOUNT', 'LOANINITBAL', 'MINPMTDUE', 'BALCLOSE']
const OTHER_DATES: readonly string[] = ['DTPMTDUE', 'MATURITYDATE', 'DTLOANMATURITY']

interface Identity {
  origId: string
  bankId: string | null
  number: string
  type: string | null
}

export function* parseOfx(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  let statement = 0
  let responses = 0
  let known: Element | null = null
  let account: Identity | null = null
  for (const found of walkElements(text, { dialect: 'sgml', streamed: STREAMED, leaves: LEAVES, lineAt })) {
    const { element, ancestors } = found
    if (TRANSACTIONS.has(element.name)) {
      const around = statementAround(ancestors)
      if (around === undefined) continue
      if (known !== around) account = identify(around, signOn(ancestors))
      known = around
      if (account === null) continue
      const corrected = textOf(element, 'CORRECTFITID')
      if (corrected !== null) yield { part: 'removal', statement, accountOrigId: account.origId, fitid: corrected, at: element.offset }
      if (corrected === null || textOf(element, 'CORRECTACTION') !== 'DELETE') yield transactionPart(element, around, account, statement)
    } else if (Object.hasOwn(STATEMENTS, element.name) || Object.hasOwn(ACCOUNT_DATA, element.name)) {
      yield accountPart(found, statement, lineAt)
      statement += 1
    } else if (RESPONSES.has(element.name)) {
      responses += 1
      const reason = refusalOfBank(found, lineAt)
      if (reason !== null) yield { part: 'unreadable', statement, entity: 'Accounts', reason, at: element.offset }
    }
  }
  if (statement === 0 && responses === 0) throw refused('The OFX file holds no statement.', 'Le fichier OFX ne contient aucun relevé.')
}

/** An answer without a statement: an error of the bank, or a kind of account that is not read. */
function refusalOfBank({ element }: Found, lineAt: (offset: number) => number): LocalizedText | null {
  const line = lineAt(element.offset)
  const code = textOf(element, 'STATUS', 'CODE')
  if (code !== null && code !== '0' && textOf(element, 'STATUS', 'SEVERITY') !== 'INFO' && /^\d{1,6}$/.test(code)) {
    return faultAt(
      line,
      `the bank wrote error ${code} instead of a statement.`,
      `l’institution a inscrit l’erreur ${code} au lieu d’un relevé.`,
    )
  }
  if (element.name !== 'INVSTMTTRNRS') return null
  return faultAt(line, 'investment statements are not read.', 'les relevés de placements ne sont pas lus.')
}

/** The statement that a movement stands in. */
function statementAround(ancestors: readonly Element[]): Element | undefined {
  for (let at = ancestors.length - 1; at >= 0; at -= 1) {
    const ancestor = ancestors[at]
    if (ancestor !== undefined && Object.hasOwn(STATEMENTS, ancestor.name)) return ancestor
  }
  return undefined
}

function transactionPart(element: Element, around: Element, account: Identity, statement: number): TransactionPart {
  // NOTE inside CURRENCY the amount is in that currency; inside ORIGCURRENCY it has been converted already.
  const currency = (textOf(element, 'CURRENCY', 'CURSYM') ?? textOf(around, 'CURDEF') ?? '').toUpperCase()
  const name = textOf(element, 'NAME')
  return {
    part: 'transaction',
    statement,
    record: {
      format: 'ofx',
      accountOrigId: account.origId,
      amount: amountOf(textOf(element, 'TRNAMT') ?? '', null),
      currency,
      type: textOf(element, 'TRNTYPE') ?? textOf(element, 'LOANTRNTYPE'),
      booked: textOf(element, 'DTPOSTED'),
      initiated: textOf(element, 'DTUSER'),
      valued: textOf(element, 'DTAVAIL'),
      name: textOf(element, 'PAYEE', 'NAME') ?? textOf(element, 'EXTDNAME') ?? name,
      text: describe(name, textOf(element, 'MEMO')),
      reference: textOf(element, 'CHECKNUM') ?? textOf(element, 'REFNUM'),
    },
    fitid: textOf(element, 'FITID'),
    accountNumber: account.number,
    at: element.offset,
  }
}

/** Name and memo; the memo alone where it only repeats the name at greater length. */
function describe(name: string | null, memo: string | null): string | null {
  if (name === null || memo === null) return memo ?? name
  return memo.startsWith(name) ? memo : `${name} ${memo}`
}

function accountPart(found: Found, statement: number, lineAt: (offset: number) => number): AccountPart | UnreadablePart {
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
    bankName: textOf(find(bank, 'FI'), 'ORG'),
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
    currency: (textOf(element, 'CURDEF') ?? '').toUpperCase(),
    amounts: amountsOf(element),
    dates: datesOf(element, bank),
  }
  const { LEDGERBAL, PRINBAL, AVAILBAL } = record.amounts
  const isStatement = Object.hasOwn(STATEMENTS, element.name)
  const asOf = isStatement
    ? (LEDGERBAL?.date ?? PRINBAL?.date ?? AVAILBAL?.date ?? textOf(element, 'BANKTRANLIST', 'DTEND') ?? record.dates.DTSERVER ?? null)
    : null
  return { part: 'account', statement, record, asOf, accountNumber: identity.number, at: element.offset, fault: null }
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

function signOn(ancestors: readonly Element[]): Element | undefined {
  return find(ancestors[0], 'SIGNONMSGSRSV1', 'SONRS') ?? find(ancestors[0], 'SIGNONMSGSRSV2', 'SONRS')
}

/** Which account the statement is of; cards and loans name no bank, there the signer's id stands in. */
function identify(element: Element, bank: Element | undefined): Identity | null {
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
  }
}

function amountOf(text: string, date: string | null): Amount {
  return { text, mark: null, unit: 'major', currency: null, date }
}
