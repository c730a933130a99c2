import { kindOf } from '../type-table.ts'
import type { StatementAccount } from '../wire.ts'
import { toUnits } from './amounts.ts'

type Sign = 'negative' | 'positive'

/**
 * Sign of debts in one OFX file: if its cards (or its loans) have balances of both signs, the larger one is a debt, and
 * the other sign a credit. Balances of one sign prove nothing, because banks disagree.
 * Source: https://financialdataexchange.org/ofx (OFX 2.2, LEDGERBAL)
 */
export class DebtSigns {
  readonly #largest = new Map<string, Record<Sign, bigint>>()

  add(record: StatementAccount): void {
    const { type } = kindOf(record)
    const balance = record.amounts.LEDGERBAL ?? record.amounts.PRINBAL
    if (record.format !== 'ofx' || (type !== 'Loans' && type !== 'CreditCards') || balance === undefined) return
    const units = toUnits(balance.text, null) ?? 0n
    const key = record.statementKind ?? ''
    const known = this.#largest.get(key) ?? { negative: 0n, positive: 0n }
    this.#largest.set(key, known)
    if (-units > known.negative) known.negative = -units
    if (units > known.positive) known.positive = units
  }

  /** Sign of debts for accounts of this kind; undefined when the file does not show it. */
  of(record: StatementAccount): Sign | undefined {
    const known = this.#largest.get(record.statementKind ?? '')
    if (record.format !== 'ofx' || known === undefined || known.negative === 0n || known.positive === 0n) return undefined
    return known.negative > known.positive ? 'negative' : 'positive'
  }
}
