import type { LocalizedText } from '../../../model/values/text.ts'
import { InputRefused } from '../../contract/authorization.ts'
import { NO_STATEMENT, type Part, type TransactionPart } from '../parts.ts'
import { cutText, faultAt, movementOfNoAccount, refused, refusedAt } from '../refusal.ts'
import { closeBalance, openBalance } from './balances.ts'
import { readDetails } from './details.ts'
import { bankOfHeader, type Field, readFields } from './messages.ts'
import { accountPart, readAccount, readMovement, type Statement } from './statement.ts'

/** SWIFT MT940, customer statement. Source: https://www2.swift.com/knowledgecentre/publications/us9m (MT940 format specifications) */

export function* parseMt940(text: string, lineAt: (offset: number) => number): Generator<Part, void> {
  let index = 0
  let bank: string | null = null
  let messages = 0
  let current: Statement | null = null
  let after = ''
  let startedAt = 0
  for (const field of readFields(text)) {
    const movement: TransactionPart | null = current?.movement ?? null
    if (movement !== null && current !== null && field.tag !== '86') {
      current.movement = null
      yield movement
    }
    switch (field.tag) {
      case 'header':
        if (messages > 0 && current !== null && after !== '62M') {
          if (current.closing === null) current.fault ??= withoutClosing(lineAt(startedAt))
          yield accountPart(current, index)
          index += 1
          current = null
        } else if (messages > 0 && current === null) {
          yield ofNoNumber(startedAt, index, lineAt)
          index += 1
        }
        if (current === null) bank = bankOfHeader(field.text)
        messages += 1
        startedAt = field.at
        after = ''
        break
      case '25': {
        const next = readAccount(field, bank, lineAt)
        if (current !== null && current.number !== next.number) {
          yield accountPart({ ...current, fault: pageMissing(lineAt(current.closingAt)) }, index)
          index += 1
          current = null
        }
        current ??= next
        break
      }
      case '60F':
      case '60M':
        if (current !== null) openBalance(current, field, lineAt)
        break
      case '61': {
        const part = current === null ? ofNoAccount(field, lineAt) : readMovement(current, field, index, lineAt)
        if (part.part === 'transaction' && current !== null) current.movement = part
        else yield part
        break
      }
      case '86':
        if (movement !== null && current !== null) {
          current.movement = null
          describe(movement, field)
          yield movement
        }
        break
      case '62F':
      case '62M':
        if (current !== null) closeBalance(current, field, lineAt)
        after = field.tag
        break
      case '34F':
        if (current?.hasBalance !== true) throw interimReport(lineAt(field.at))
        break
      default:
    }
  }
  if (current?.movement) yield current.movement
  if (current === null) {
    if (index === 0) throw refused('The MT940 file names no account (:25:).', 'Le fichier MT940 ne nomme aucun compte (:25:).')
    yield ofNoNumber(startedAt, index, lineAt)
    return
  }
  if (after === '') throw new InputRefused(cutText(withoutClosing(lineAt(startedAt))))
  yield accountPart(after === '62M' ? { ...current, fault: current.fault ?? pageMissing(lineAt(current.closingAt)) } : current, index)
}

/** Adds what field 86 says about a movement. */
function describe(movement: TransactionPart, field: Field): void {
  const { record } = movement
  const { text, counterparty, kind, isStructured } = readDetails(field.text)
  const before = movement.identifiedBy?.text ?? record.text
  if (field.withOwnFields !== undefined || movement.identifiedBy !== undefined || isStructured) {
    const whole = readDetails(field.withOwnFields ?? field.text)
    movement.identifiedBy = { text: whole.text ?? before, name: whole.name }
  }
  record.text = text ?? record.text
  record.name = counterparty
  record.type = kind ?? record.type
}

function ofNoAccount(field: Field, lineAt: (offset: number) => number): Part {
  const reason = movementOfNoAccount(lineAt(field.at))
  return { part: 'unreadable', statement: NO_STATEMENT, entity: 'Transactions', reason, at: field.at }
}

function ofNoNumber(at: number, index: number, lineAt: (offset: number) => number): Part {
  const reason = faultAt(lineAt(at), 'a statement names no account (:25:).', 'un relevé ne nomme aucun compte (:25:).')
  return { part: 'unreadable', statement: index, entity: 'Accounts', reason, at }
}

function pageMissing(line: number): LocalizedText {
  return faultAt(
    line,
    'the statement goes on (:62M:), but its next page is not in the file.',
    'le relevé continue (:62M:), mais sa page suivante n’est pas dans le fichier.',
  )
}

function withoutClosing(line: number): LocalizedText {
  return faultAt(
    line,
    'the message that begins here has no closing balance (:62F:).',
    'le message qui commence ici n’a pas de solde de clôture (:62F:).',
  )
}

function interimReport(line: number): Error {
  return refusedAt(
    line,
    'this is an MT942 (movements of the day), not a statement. Download the MT940.',
    'ceci est un MT942 (mouvements du jour), et non un relevé. Téléchargez le MT940.',
  )
}
