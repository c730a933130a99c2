import { kindOf } from '../type-table.ts'
import type { StatementAccount } from '../wire.ts'
import { toUnits } from './amounts.ts'

type Sign = 'negative' | 'positive'

/**
 * How one OFX file writes what is owed: with balances of both signs among its cards (or its loans) the larger one is a
 * debt, so the other sign is a credit. Balances of one sign say nothing, because banks disagree.
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

  /** The sign of debts for accounts like this one; undefined when the file does not show it. */
  of(record: StatementAccount): Sign | undefined {
    const known = this.#largest.get(record.statementKind ?? '')
    if (record.format !== 'ofx' || known === undefined || known.negative === 0n || known.positive === 0n) return undefined
    return known.negative > known.positive ? 'negative' : 'positive'
  }
}
