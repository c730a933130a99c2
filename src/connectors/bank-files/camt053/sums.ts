import type { LocalizedText } from '../../../model/values/text.ts'
import { faultAt } from '../refusal.ts'
import { type Element, find, textOf } from '../syntax/elements.ts'
import { attribute } from '../syntax/entities.ts'
import { AmountSum, toUnits, unitsText } from '../values/amounts.ts'
import type { Amount } from '../wire.ts'
import { dateOf } from './entries.ts'

/** Booked balance before the statement: its opening balance, or the closing balance of the previous statement. */
const OPENING: readonly string[] = ['OPBD', 'PRCD']
/** Booked balance at the end; interim (`ITBD`) on all pages but the last. */
const CLOSING: readonly string[] = ['CLBD', 'ITBD']

interface Balances {
  /** By balance code; of several with one code the first opening and the last of the others. The credit line is under `CdtLine`. */
  amounts: Record<string, Amount>
  closing: Amount | null
}

/** Balance check of one statement: opening balance plus entries must equal the closing balance. */
export class StatementSum {
  readonly #entries = new AmountSum()
  #faultyEntry: Element | null = null
  readonly #currencies = new Set<string>()
  #opening: Amount | null = null
  #closing: { amount: Amount; at: number } | null = null

  addEntry(entry: Element): void {
    const amount = find(entry, 'Amt')
    const mark = textOf(entry, 'CdtDbtInd')
    const isSummed = (mark === 'CRDT' || mark === 'DBIT') && this.#entries.add(amount?.text ?? '', mark)
    if (!isSummed) this.#faultyEntry ??= entry
    this.#currencies.add(attribute(amount?.attributes ?? '', 'Ccy') ?? '')
  }

  /** Collects the balances among the children of a statement. */
  addBalances(children: readonly Element[]): Balances {
    const amounts: Record<string, Amount> = {}
    for (const balance of children) {
      if (balance.name !== 'Bal') continue
      const code = textOf(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? ''
      if (!/^[A-Z]{4}$/.test(code)) continue
      const amount = amountOf(balance, textOf(balance, 'CdtDbtInd'))
      const known = amounts[code]
      const isFirst = OPENING.includes(code)
      if (known !== undefined && (isFirst ? (amount.date ?? '') >= (known.date ?? '') : (amount.date ?? '') < (known.date ?? ''))) continue
      amounts[code] = amount
      if (code === 'CLBD') this.#closing = { amount, at: balance.offset }
      const line = find(balance, 'CdtLine')
      if (line !== undefined && find(line, 'Amt') !== undefined) amounts.CdtLine = amountOf(line, null)
    }
    this.#opening = amounts.OPBD ?? amounts.PRCD ?? null
    return { amounts, closing: CLOSING.map((code) => amounts[code]).find((amount) => amount !== undefined) ?? null }
  }

  /** Fault of the sums, or null. Amounts of several currencies cannot be added and are not checked. */
  fault(lineAt: (offset: number) => number): LocalizedText | null {
    if (this.#faultyEntry !== null) {
      const line = lineAt(this.#faultyEntry.offset)
      return faultAt(line, 'the amount of an entry (Ntry) cannot be read.', 'le montant d’une écriture (Ntry) est illisible.')
    }
    const opening = this.#opening
    const closing = this.#closing
    if (opening === null || closing === null) return null
    const currencies = new Set([...this.#currencies, opening.currency, closing.amount.currency])
    const start = toUnits(opening.text, opening.mark)
    const end = toUnits(closing.amount.text, closing.amount.mark)
    if (currencies.size !== 1 || start === null || end === null || start + this.#entries.units === end) return null
    const [first, sum, last] = [unitsText(start), unitsText(this.#entries.units), unitsText(end)]
    return faultAt(
      lineAt(closing.at),
      `the opening balance ${first.en} and the entries ${sum.en} do not add up to the closing balance ${last.en}.`,
      `le solde d’ouverture ${first['fr-CA']} et les écritures ${sum['fr-CA']} ne donnent pas le solde de clôture ${last['fr-CA']}.`,
    )
  }
}

function amountOf(element: Element, mark: string | null): Amount {
  const amount = find(element, 'Amt')
  return {
    text: amount?.text ?? '',
    mark,
    unit: 'major',
    currency: attribute(amount?.attributes ?? '', 'Ccy'),
    date: dateOf(find(element, 'Dt')),
  }
}
