import type { LocalizedText } from '../../../model/values/text.ts'
import { faultAt } from '../refusal.ts'
import { type Element, find, textOf } from '../syntax/elements.ts'

const MAX_MESSAGE = 200

/**
 * Error in a `STATUS`; null if it is not an error. The bank's own text is shown with long numbers masked.
 * Source: https://financialdataexchange.org/ofx (OFX 2.2, 3.1.5: SEVERITY is INFO, WARN or ERROR; CODE 0 is success)
 */
export function errorOfBank(element: Element, line: number, place: 'signOn' | 'statement'): LocalizedText | null {
  const status = find(element, 'STATUS')
  const code = textOf(status, 'CODE')
  const severity = textOf(status, 'SEVERITY')
  const isError = severity === 'ERROR' || (code !== null && code !== '0' && severity !== 'INFO' && severity !== 'WARN')
  if (!isError) return null
  const number = code !== null && /^\d{1,6}$/.test(code) ? code : '?'
  const message = shown(textOf(status, 'MESSAGE'))
  const [en, french] = message === null ? ['', ''] : [`: “${message}”`, ` : « ${message} »`]
  return place === 'signOn'
    ? faultAt(
        line,
        `the bank refused the sign-on with error ${number} and gave no statement${en}.`,
        `l’institution a refusé la connexion avec l’erreur ${number} et n’a donné aucun relevé${french}.`,
      )
    : faultAt(
        line,
        `the bank wrote error ${number} instead of a statement${en}.`,
        `l’institution a inscrit l’erreur ${number} au lieu d’un relevé${french}.`,
      )
}

/** Fault of a response without a statement: an error of the bank, or an unsupported kind of account. */
export function reasonWithoutStatement(element: Element, line: number): LocalizedText | null {
  const said = errorOfBank(element, line, 'statement')
  if (said !== null || element.name !== 'INVSTMTTRNRS') return said
  return faultAt(line, 'investment statements are not read.', 'les relevés de placements ne sont pas lus.')
}

function shown(message: string | null): string | null {
  if (message === null) return null
  const tidy = message
    .slice(0, MAX_MESSAGE)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\w*\d[\d -]{3,}\w*/g, '…')
    .replace(/[.\s]+$/, '')
  return tidy === '' ? null : tidy
}
