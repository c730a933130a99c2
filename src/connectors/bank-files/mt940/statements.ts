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
  const reader = new MessageReader(lineAt)
  for (const field of readFields(text)) {
    const movement = reader.takeMovement()
    if (movement !== null) {
      if (field.tag === '86') describe(movement, field)
      yield movement
    }
    const part = reader.read(field)
    if (part !== null) yield part
  }
  const movement = reader.takeMovement()
  if (movement !== null) yield movement
  yield reader.end()
}

/** Reader of the fields of a file, in their order. Messages (pages) of one account follow each other until its final balance. */
class MessageReader {
  readonly #lineAt: (offset: number) => number
  /** Number of statements that are complete. */
  #index = 0
  #bank: string | null = null
  #messages = 0
  #current: Statement | null = null
  /** Tag of the closing balance of the message; empty before it. */
  #closedBy = ''
  #startedAt = 0

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt
  }

  /** The movement before this field, which only a field 86 may still describe. */
  takeMovement(): TransactionPart | null {
    if (this.#current === null) return null
    const { movement } = this.#current
    this.#current.movement = null
    return movement
  }

  /** Part that this field completes, or that is unreadable. */
  read(field: Field): Part | null {
    switch (field.tag) {
      case 'header':
        return this.#beginMessage(field)
      case '25':
        return this.#openAccount(field)
      case '60F':
      case '60M':
        if (this.#current !== null) openBalance(this.#current, field, this.#lineAt)
        return null
      case '61':
        return this.#readMovement(field)
      case '62F':
      case '62M':
        if (this.#current !== null) closeBalance(this.#current, field, this.#lineAt)
        this.#closedBy = field.tag
        return null
      case '34F':
        if (this.#current?.hasBalance !== true) throw interimReport(this.#lineAt(field.at))
        return null
      default:
        return null
    }
  }

  /** The last statement of the file. Throws when the file is truncated, or has no account at all. */
  end(): Part {
    const current = this.#current
    if (current === null) {
      if (this.#index === 0) throw refused('The MT940 file names no account (:25:).', 'Le fichier MT940 ne nomme aucun compte (:25:).')
      return ofNoNumber(this.#startedAt, this.#index, this.#lineAt)
    }
    if (this.#closedBy === '') throw new InputRefused(cutText(withoutClosing(this.#lineAt(this.#startedAt))))
    if (this.#closedBy === '62M') current.fault ??= pageMissing(this.#lineAt(current.closingAt))
    return accountPart(current, this.#index)
  }

  #beginMessage(field: Field): Part | null {
    const ended = this.#messages > 0 ? this.#endMessage() : null
    if (ended !== null) this.#index += 1
    if (this.#current === null) this.#bank = bankOfHeader(field.text)
    this.#messages += 1
    this.#startedAt = field.at
    this.#closedBy = ''
    return ended
  }

  /** Returns null if the statement continues in the next message. */
  #endMessage(): Part | null {
    const current = this.#current
    if (current === null) return ofNoNumber(this.#startedAt, this.#index, this.#lineAt)
    if (this.#closedBy === '62M') return null
    if (current.closing === null) current.fault ??= withoutClosing(this.#lineAt(this.#startedAt))
    this.#current = null
    return accountPart(current, this.#index)
  }

  #openAccount(field: Field): Part | null {
    const next = readAccount(field, this.#bank, this.#lineAt)
    const before = this.#current
    if (before?.number === next.number) return null
    this.#current = next
    if (before === null) return null
    const part = accountPart({ ...before, fault: pageMissing(this.#lineAt(before.closingAt)) }, this.#index)
    this.#index += 1
    return part
  }

  #readMovement(field: Field): Part | null {
    if (this.#current === null) return ofNoAccount(field, this.#lineAt)
    const part = readMovement(this.#current, field, this.#index, this.#lineAt)
    if (part.part !== 'transaction') return part
    this.#current.movement = part
    return null
  }
}

/** Adds the details of field 86 to a movement. */
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
