import { hashHex, hashNumber, hashPick } from '../../kit/random.ts'
import type { Account, Enrollment } from '../state.ts'

const DAY_MS = 86_400_000
const HISTORY_DAYS = 100
/** Number of days for which a transaction is pending; booked, it has another id. */
const PENDING_DAYS = 2

const OWNERS = ['Peña & Sons Roofing', 'Café Zócalo LLC', 'Müller Brewing Co.', 'Boutique Thérèse, Inc.', 'Lakeshore Dental PLLC']
const SHOPS = [
  ['Home Depot #4412', 'Home Depot', 'home', 'organization'],
  ['SYSCO FOOD SVC', 'Sysco', 'groceries', 'organization'],
  ['ADP PAYROLL 0712', 'ADP', 'general', 'organization'],
  ['Zelle from José Nuñez', 'José Nuñez', 'income', 'person'],
  ['SQ *CAFÉ DU NORD', 'Café du Nord', 'dining', 'organization'],
  ['CHECK 1187', null, null, null],
  ['SHELL OIL 57444', 'Shell', 'fuel', 'organization'],
  ['Stripe Transfer', 'Stripe', 'income', 'organization'],
] as const

interface Kind {
  name: string
  type: string
  subtype: string
  ledgerCents: number
  availableCents: number
  perDay: number
  currency?: string
  status?: string
  hidesEnding?: boolean
}

/**
 * A closed account, one in Canadian dollars, one without last digits, an overdrawn one and two that Teller does not
 * document.
 */
const KINDS: readonly Kind[] = [
  { name: 'Business Checking', type: 'depository', subtype: 'checking', ledgerCents: 1_843_055, availableCents: 1_790_000, perDay: 2 },
  { name: 'Épargne d’entreprise', type: 'depository', subtype: 'savings', ledgerCents: 5_000_000, availableCents: 5_000_000, perDay: 1 },
  { name: 'Business Visa', type: 'credit', subtype: 'credit_card', ledgerCents: 231_045, availableCents: 1_268_955, perDay: 1 },
  { name: 'Money Market', type: 'depository', subtype: 'money_market', ledgerCents: 1_000_001, availableCents: 1_000_001, perDay: 0 },
  { name: '18-Month CD', type: 'depository', subtype: 'certificate_of_deposit', ledgerCents: 2_500_000, availableCents: 0, perDay: 0 },
  { name: 'Overdrawn Checking', type: 'depository', subtype: 'checking', ledgerCents: -4_417, availableCents: 0, perDay: 0 },
  {
    name: 'CAD Operating',
    type: 'depository',
    subtype: 'treasury',
    ledgerCents: 77_700,
    availableCents: 77_700,
    perDay: 0,
    currency: 'CAD',
  },
  { name: 'Sweep', type: 'depository', subtype: 'sweep', ledgerCents: 12, availableCents: 12, perDay: 0, hidesEnding: true },
  { name: 'Old Checking', type: 'depository', subtype: 'checking', ledgerCents: 0, availableCents: 0, perDay: 0, status: 'closed' },
  { name: 'Rewards Vault', type: 'depository', subtype: 'points_vault', ledgerCents: 100, availableCents: 100, perDay: 0 },
]

/** Accounts of an owner at a bank for a new enrollment: names and numbers are always the same, ids are always new. */
export function openAccounts(seed: number, owner: string, number: number, giant: { accounts: number; perDay: number } | null): Account[] {
  const kinds = giant
    ? Array.from({ length: giant.accounts }, (_, index): Kind => ({ ...checkingOf(index), perDay: index % 20 === 0 ? giant.perDay : 0 }))
    : KINDS
  return kinds.map((kind, index) => ({
    id: `acc_${hashHex(20, seed, number, 'account', index)}`,
    name: index === 0 && !giant ? `${hashPick(OWNERS, seed, owner)} – ${kind.name}` : kind.name,
    type: kind.type,
    subtype: kind.subtype,
    currency: kind.currency ?? 'USD',
    number: String(100_000_000_000 + hashNumber(seed, owner, index)),
    tellsEnding: kind.hidesEnding !== true,
    status: kind.status ?? 'open',
    ledgerCents: kind.ledgerCents,
    availableCents: kind.availableCents,
    movementsPerDay: kind.perDay,
  }))
}

function checkingOf(index: number): Kind {
  return { name: `Location ${index + 1}`, type: 'depository', subtype: 'checking', ledgerCents: index, availableCents: index, perDay: 1 }
}

export function firstDay(now: Date): string {
  return new Date(now.getTime() - HISTORY_DAYS * DAY_MS).toISOString().slice(0, 10)
}

/** Number of transactions of an account so far; they are numbered from the oldest, starting with 0. */
export function movementCount({ since }: Enrollment, account: Account, now: Date): number {
  return account.status === 'closed' ? 0 : Math.max(0, (dayNumber(now) - dayNumber(new Date(since)) + 1) * account.movementsPerDay)
}

/**
 * One transaction by its number, as Teller shows it. Amounts change the ledger balance, so a card charge is positive.
 */
export function toMovement(enrollment: Enrollment, account: Account, number: number, now: Date, baseUrl: string) {
  const day = dayNumber(new Date(enrollment.since)) + Math.floor(number / account.movementsPerDay)
  const isPending = dayNumber(now) - day < PENDING_DAYS
  const [description, counterparty, category, kind] = hashPick(SHOPS, account.id, number, 'shop')
  const cents = (hashNumber(account.id, number, 'cents') % 90_000) + 101
  const isIncome = category === 'income'
  const signed = (account.type === 'credit') === isIncome ? -cents : cents
  const id = toMovementId(account, number, isPending)
  return {
    account_id: account.id,
    amount: toAmount(account.type === 'credit' || isIncome ? signed : -cents),
    date: new Date(day * DAY_MS).toISOString().slice(0, 10),
    description,
    details: {
      processing_status: isPending ? 'pending' : 'complete',
      category: isPending ? null : category,
      counterparty: { name: counterparty, type: kind },
    },
    id,
    links: { account: `${baseUrl}/accounts/${account.id}`, self: `${baseUrl}/accounts/${account.id}/transactions/${id}` },
    running_balance: !isPending && account.type === 'depository' ? toAmount(account.ledgerCents + number * 7) : null,
    status: isPending ? 'pending' : 'posted',
    type: category === 'income' ? 'ach' : 'card_payment',
  }
}

/** The number in an id; null if the id is not of this account. */
export function movementNumber(account: Account, id: string): number | null {
  const [, key, number] = /^txn_([0-9a-f]{8})([0-9a-z]{6})p?$/.exec(id) ?? []
  return key === account.id.slice(4, 12) && number !== undefined ? Number.parseInt(number, 36) : null
}

function toMovementId(account: Account, number: number, isPending: boolean): string {
  return `txn_${account.id.slice(4, 12)}${number.toString(36).padStart(6, '0')}${isPending ? 'p' : ''}`
}

export function toAmount(cents: number): string {
  return (cents / 100).toFixed(2)
}

function dayNumber(at: Date): number {
  return Math.floor(at.getTime() / DAY_MS)
}
