import type { LocalizedText } from '../../../model/values/text.ts'
import { InputRefused } from '../../contract/authorization.ts'
import { NO_STATEMENT, type Part, type TransactionPart } from '../parts.ts'
import { movementOfNoAccount, refused } from '../refusal.ts'
import { type Element, find, textOf, walkElements } from '../syntax/elements.ts'
import { ACCOUNT_DATA, accountPart, amountOf, type Identity, identify, STATEMENTS, signOn } from './accounts.ts'
import { errorOfBank, reasonWithoutStatement } from './errors.ts'

/**
 * OFX 1.x (SGML) and 2.x (XML), QFX and QBO, which are OFX with INTU tags. Source: https://financialdataexchange.org/ofx (specifications
 * 1.6 and 2.2); element names of loans from the schema of 2.2.
 */

const TRANSACTIONS: ReadonlySet<string> = new Set(['STMTTRN', 'LOANSTMTTRN'])
const RESPONSES: ReadonlySet<string> = new Set(['STMTTRNRS', 'CCSTMTTRNRS', 'LOANSTMTTRNRS', 'INVSTMTTRNRS'])

/** Pending transactions: a later file would not withdraw them, so they are left out. */
const PENDING: ReadonlySet<string> = new Set(['STMTTRNP', 'LOANSTMTTRNP'])

const STREAMED: ReadonlySet<string> = new Set([
  ...TRANSACTIONS,
  ...Object.keys(STATEMENTS),
  ...Object.keys(ACCOUNT_DATA),
  ...RESPONSES,
  ...PENDING,
  'BANKTRANLISTP',
  'LOANTRANLISTP',
  'INVSTMTRS',
])

/** Elements that hold text only, in case one is empty and not closed. */
const LEAVES: ReadonlySet<string> = new Set(
  'NAME MEMO CHECKNUM REFNUM FITID SRVRTID DTUSER DTAVAIL SIC PAYEEID EXTDNAME TRNTYPE BRANCHID ACCTKEY LANGUAGE ORG FID MESSAGE MKTGINFO DTPROFUP DTACCTUP DESC PHONE CORRECTFITID CORRECTACTION'.split(
    ' ',
  ),
)

export function* parseOfx(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  let statement = 0
  let responses = 0
  let known: Element | null = null
  let account: Identity | null = null
  for (const found of walkElements(text, { dialect: 'sgml', streamed: STREAMED, leaves: LEAVES, lineAt })) {
    const { element, ancestors } = found
    if (TRANSACTIONS.has(element.name)) {
      const around = statementAround(ancestors)
      if (around !== undefined && known !== around) account = identify(around, signOn(ancestors))
      known = around ?? known
      if (around === undefined || account === null) {
        const reason = movementOfNoAccount(lineAt(element.offset))
        const of = around === undefined ? NO_STATEMENT : statement
        yield { part: 'unreadable', statement: of, entity: 'Transactions', reason, at: element.offset }
        continue
      }
      const corrected = textOf(element, 'CORRECTFITID')
      const isReplaced = corrected === null || textOf(element, 'CORRECTACTION') !== 'DELETE'
      if (corrected !== null)
        yield { part: 'removal', statement, accountOrigId: account.origId, fitid: corrected, isReplaced, at: element.offset }
      if (isReplaced) yield transactionPart(element, account, statement)
    } else if (PENDING.has(element.name)) {
      yield { part: 'notBooked', statement, at: element.offset }
    } else if (Object.hasOwn(STATEMENTS, element.name) || Object.hasOwn(ACCOUNT_DATA, element.name)) {
      yield accountPart(found, statement, lineAt)
      statement += 1
    } else if (RESPONSES.has(element.name)) {
      responses += 1
      const reason = reasonWithoutStatement(element, lineAt(element.offset))
      if (reason !== null) yield { part: 'unreadable', statement: NO_STATEMENT, entity: 'Accounts', reason, at: element.offset }
    }
  }
  if (statement > 0) return
  const said = signOnError(text, lineAt)
  if (said !== null) throw new InputRefused(said)
  if (responses === 0) throw refused('The OFX file holds no statement.', 'Le fichier OFX ne contient aucun relevé.')
}

/** Response status, for a response without a statement. */
function signOnError(text: string, lineAt: (offset: number) => number): LocalizedText | null {
  for (const { element } of walkElements(text, { dialect: 'sgml', streamed: new Set(['SONRS']), leaves: LEAVES, lineAt })) {
    if (element.name === 'SONRS') return errorOfBank(element, lineAt(find(element, 'STATUS')?.offset ?? element.offset), 'signOn')
  }
  return null
}

/** Statement that contains a movement. */
function statementAround(ancestors: readonly Element[]): Element | undefined {
  for (let at = ancestors.length - 1; at >= 0; at -= 1) {
    const ancestor = ancestors[at]
    if (ancestor !== undefined && Object.hasOwn(STATEMENTS, ancestor.name)) return ancestor
  }
  return undefined
}

function transactionPart(element: Element, account: Identity, statement: number): TransactionPart {
  // NOTE inside CURRENCY the amount is in that currency; inside ORIGCURRENCY it has been converted already.
  const currency = textOf(element, 'CURRENCY', 'CURSYM')?.toUpperCase() ?? account.currency
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

/** Name and memo; the memo alone when it only extends the name. */
function describe(name: string | null, memo: string | null): string | null {
  if (name === null || memo === null) return memo ?? name
  return memo.startsWith(name) ? memo : `${name} ${memo}`
}
