import type { BankAccount } from '../../model/records/bank-account.ts'
import type { BankAccountKind } from '../../model/records/banking.ts'
import type { Json } from '../../model/values/json.ts'
import { plainRows, type TypeTable } from '../contract/type-table.ts'

/** Source: CorePro, program/get (checkings, savings, prepaids); deposits only */
const KINDS: Readonly<Record<string, BankAccountKind>> = {
  checking: { type: 'Cash', subType: 'Checking' },
  savings: { type: 'Cash', subType: 'Savings' },
  prepaid: { type: 'Cash', subType: 'PrepaidDebitCard' },
}

/** Account statuses: no published list; these are the values in the documentation's examples. */
const STATUSES: Readonly<Record<string, BankAccount['accountStatusSystem']>> = {
  open: 'ACTIVE',
  active: 'ACTIVE',
  initiated: 'INACTIVE',
  locked: 'ACTIVE',
  restricted: 'ACTIVE',
  dormant: 'INACTIVE',
  closed: 'CLOSED',
  chargedoff: 'CLOSED',
}

export function findKind(word: string): BankAccountKind | null {
  return lookUp(KINDS, word)
}

export function findStatus(word: string): BankAccount['accountStatusSystem'] | null {
  return lookUp(STATUSES, word)
}

export function isPending(status: string): boolean {
  return /^(initiated|pending|processing)$/i.test(status)
}

/** Whether money moved: false for transactions cancelled before they happened. */
export function isMovement({ status }: { [key: string]: Json }): boolean {
  return !(typeof status === 'string' && /^(voided|canceled|cancelled|rejected)$/i.test(status))
}

function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | null {
  const key = word.toLowerCase().replace(/[^a-z]/g, '')
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null
}

export const typeTable: TypeTable = {
  rows: [
    ...plainRows(
      'type',
      Object.keys(KINDS).map((type) => ({ type })),
    ).map((row) => ({ ...row, means: { wire: { program: '', account: { accountId: 1, ...row.words } } } })),
    ...Object.keys(STATUSES).map((status) => ({
      group: 'Status',
      words: { status },
      means: { wire: { program: '', account: { accountId: 1, status } } },
      isStatus: true,
    })),
  ],
  rules: [
    'An account with a day of closing is CLOSED whatever its status; capitals do not matter.',
    'A new type is OtherCash, a new status ACTIVE; both are counted.',
    'Movements that were voided, cancelled or rejected moved nothing and are left out; initiated and pending ones are pending.',
  ],
}
