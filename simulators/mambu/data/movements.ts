import { at, keyOf, type Row } from '../state.ts'

const START = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000
const NOTES = ['Paiement de facture 2026-014', '', 'Dépôt mobile', 'Loyer – rue Ontario', 'Interac', 'Payroll']

interface Kind {
  type: string
  sign: number
}

function kindOf(n: number): Kind {
  if (n % 29 === 0) return { type: 'TRANSFER', sign: -1 }
  if (n % 17 === 0) return { type: 'INTEREST_APPLIED', sign: 1 }
  if (n % 13 === 0) return { type: 'INTEREST_RATE_CHANGED', sign: 0 }
  if (n % 7 === 0) return { type: 'FEE_APPLIED', sign: -1 }
  return n % 3 === 0 ? { type: 'WITHDRAWAL', sign: -1 } : { type: 'DEPOSIT', sign: 1 }
}

/** Newest first, as in Mambu. */
export function depositMovements(deposit: Row, accountNumber: number, count: number): Row[] {
  let balance = 0
  return Array.from({ length: count }, (_, index) => {
    const n = index + 1
    const { type, sign } = kindOf(n)
    const amount = (sign * (1725 + ((n * 7919) % 90_000))) / 100
    balance = Math.round((balance + amount) * 100) / 100
    const day = new Date(START + Math.floor((n * 170) / Math.max(count, 170)) * DAY_MS).toISOString().slice(0, 10)
    return {
      encodedKey: keyOf(0x40 + accountNumber, n),
      id: String(accountNumber * 100_000 + n),
      creationDate: `${day}T16:20:00+00:00`,
      valueDate: at(day),
      bookingDate: at(day),
      parentAccountKey: deposit.encodedKey,
      type,
      amount,
      currencyCode: deposit.currencyCode,
      affectedAmounts: { fundsAmount: amount },
      accountBalances: { totalBalance: balance },
      ...(NOTES[n % NOTES.length] ? { notes: NOTES[n % NOTES.length] } : {}),
      ...(n % 9 === 0
        ? {
            cardTransaction: {
              externalReferenceId: `ref-${n}`,
              externalAuthorizationReferenceId: `auth-${n}`,
              cardToken: 'sandbox-card',
              amount: Math.abs(amount),
              advice: false,
              cardAcceptor: { name: 'Quincaillerie Côté', city: 'Montréal', country: 'CAN', mcc: 5251 },
            },
          }
        : {}),
    }
  }).reverse()
}

/** Disbursement and repayments of a loan, newest first; amounts are unsigned. */
export function loanMovements(loan: Row, accountNumber: number, paid: number): Row[] {
  const row = (n: number, type: string, day: string, amount: number, totalBalance: number): Row => ({
    encodedKey: keyOf(0x80 + accountNumber, n),
    id: String(accountNumber * 100_000 + n),
    creationDate: `${day}T16:20:00+00:00`,
    valueDate: at(day),
    parentAccountKey: loan.encodedKey,
    type,
    amount,
    accountBalances: { totalBalance },
  })
  const repayments = Array.from({ length: paid }, (_, index) => {
    const month = String(((index + 1) % 12) + 1).padStart(2, '0')
    const day = `${2025 + Math.floor((index + 1) / 12)}-${month}-28`
    return [
      row(index * 2 + 2, 'INTEREST_APPLIED', day, 61.15, 24_000 - index * 1000 + 61.15),
      row(index * 2 + 3, 'REPAYMENT', day, 1061.15, 23_000 - index * 1000),
    ]
  }).flat()
  return [row(1, 'DISBURSEMENT', '2025-01-28', 24_000, 24_000), ...repayments].reverse()
}
