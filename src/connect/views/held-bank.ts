import { type Html, html } from '../../model/texts/html.ts'
import { localizeSourceName } from '../../model/texts/source-names.ts'
import { writeDay } from '../../model/values/dates.ts'
import { safeDisplayName } from '../../model/values/display-names.ts'
import type { HeldBank } from '../../sync/accounts/held-banks.ts'
import type { Visitor } from '../visit/visitor.ts'

/** Says that a bank is connected in another way: before the owner connects it, or after. Null when it is not. */
export function heldBankNotice(visitor: Visitor, bank: string, holders: readonly HeldBank[], when: 'before' | 'after'): Html | null {
  const [first] = holders
  if (!first) return null
  const through = new Set(holders.map((one) => one.parentName ?? one.serviceName))
  const words = visitor.texts.heldBank[when](
    safeDisplayName(localizeSourceName(bank, visitor.locale)),
    [...through].map((name) => safeDisplayName(localizeSourceName(name, visitor.locale))).join(', '),
    writeDay(first.connectedAt, visitor),
  )
  return html`<p class="notice" role="note">${words}</p>`
}
