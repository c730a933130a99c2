/** An account as the benchmark bank lists it; every field has a value, so that a page is as large as it can be. */
export interface WireAccount {
  uid: string
  bank: string
  nickname: string
  number: string
  open: boolean
  holder: 'company' | 'person'
  kind: 'checking' | 'loan'
  rate: string
  available: string
  dueAt: string
  maturity: { amount: string; at: string }
  minimumDue: string
  creditLine: string
  originalLoan: string
  lender: string
  due: string
  principal: string
  currency: string
  balance: string
  balanceAt: string
  changedAt: string
}

/** Accounts `start` to `end` (exclusive) of one customer of the bank, deterministic in the customer. */
export function listAccounts(customer: string, start: number, end: number): WireAccount[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => toAccount(customer, start + index))
}

function toAccount(customer: string, index: number): WireAccount {
  const seed = [...customer].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7) + index * 7_919
  const cents = (factor: number) => ((seed * factor) % 90_000_000) + 10_000_000
  const money = (factor: number) => `${Math.floor(cents(factor) / 100)}.${String((cents(factor) % 89) + 11)}`
  const day = (offset: number) => String(((seed + offset) % 28) + 1).padStart(2, '0')
  return {
    uid: `${customer}-${String(index).padStart(5, '0')}`,
    bank: 'Caisse du Plateau',
    nickname: `Compte d’exploitation ${String(index).padStart(5, '0')} — ${customer}`,
    number: String(40_000_000 + (seed % 9_999_999)),
    open: seed % 11 !== 0,
    holder: seed % 5 === 0 ? 'person' : 'company',
    kind: seed % 3 === 0 ? 'loan' : 'checking',
    rate: `${seed % 9}.${(seed % 90) + 11}`,
    available: money(3),
    dueAt: `2026-12-${day(1)}T00:00:00.000Z`,
    maturity: { amount: money(5), at: `2031-06-${day(2)}T00:00:00.000Z` },
    minimumDue: money(7),
    creditLine: money(11),
    originalLoan: money(13),
    lender: 'Caisse du Plateau',
    due: money(17),
    principal: money(19),
    currency: 'CAD',
    balance: money(23),
    balanceAt: `2026-11-${day(3)}T12:30:00.000Z`,
    changedAt: `2026-11-${day(4)}T08:15:30.000Z`,
  }
}
