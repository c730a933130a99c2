import { Type } from 'typebox'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import type { BankTransaction } from '../../src/model/records/bank-transaction.ts'
import { type Decimal, toDecimal } from '../../src/model/values/decimal.ts'
import { parseDay } from '../../src/model/values/timestamps.ts'

const text = Type.String()
export const wireMovement = Type.Object({
  ...{ id: text, account: text, booked: text, amount: text, currency: text, text, payee: text, kind: text },
  isPending: Type.Boolean(),
})

interface WireMovement {
  id: string
  account: string
  booked: string
  amount: string
  currency: string
  text: string
  payee: string
  kind: string
  isPending: boolean
}

/** Transactions `start` to `end`, spread over `accounts` accounts; generated on request. */
export function listMovements(start: number, end: number, accounts: number): WireMovement[] {
  return Array.from({ length: end - start }, (_, index) => toMovement(start + index, accounts))
}

function toMovement(index: number, accounts: number): WireMovement {
  const seed = (index * 7_919) % 1_000_003
  return {
    id: `movement-${String(index).padStart(8, '0')}`,
    account: `account-${seed % accounts}`,
    booked: `20${String(10 + (seed % 16))}-${String((seed % 12) + 1).padStart(2, '0')}-${String((seed % 28) + 1).padStart(2, '0')}`,
    amount: `${seed % 3 === 0 ? '' : '-'}${(seed % 90_000) + 1}.${String((seed % 89) + 11)}`,
    currency: 'CAD',
    text: `Paiement de facture ${seed}`,
    payee: `Fournisseur ${seed % 997}`,
    kind: 'PAYMENT',
    isPending: false,
  }
}

function exactDecimal(text: string): Decimal {
  const amount = toDecimal(text)
  if (amount === null) throw new Error(`not an amount: ${text}`)
  return amount
}

export const toBankTransaction = mapping<WireMovement, BankTransaction>(1, {
  origId: (m) => m.id,
  accountOrigId: (m) => m.account,
  postedOn: (m) => parseDay(m.booked),
  transactionOn: () => null,
  amount: (m) => exactDecimal(m.amount),
  currency: (m) => m.currency,
  description: (m) => m.text,
  counterparty: (m) => m.payee,
  category: (m) => m.kind,
  isPending: (m) => m.isPending,
  runningBalance: () => null,
})
