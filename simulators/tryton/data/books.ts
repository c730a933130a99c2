import type { Books, Cell, Row } from '../api/search.ts'
import { listAccounts, listTypes } from './chart.ts'
import { type Entry, listEntries, type Posting } from './journal.ts'

const CURRENCIES: Row[] = [
  { id: 1, code: 'CAD', name: 'Canadian dollar', active: true },
  { id: 2, code: 'USD', name: 'US dollar', active: true },
]

const PARTIES = [
  'Glenbow Dental Group',
  'Alberta Blue Cross',
  'Zahntechnik Köln GmbH',
  'Fournitures dentaires Lévesque',
  'Kensington Properties',
  'Café Éclair',
  'Lone Star Implants LLC',
  'Noël Tremblay',
]

const JOURNALS: Row[] = [
  { id: 1, name: 'Revenue', type: 'revenue', active: true },
  { id: 2, name: 'Expense', type: 'expense', active: true },
  { id: 3, name: 'Cash', type: 'cash', active: true },
  { id: 4, name: 'General', type: 'general', active: true },
]

/**
 * A dental practice in Calgary: 83 accounts, 18 of them views or off-balance, and its entries from January to June
 * 2026. Models and fields as in Tryton 6.0.
 */
export function createBooks(): Books {
  const entries = listEntries()
  const accounts = listAccounts()
  const idByCode = new Map(accounts.map(({ id, code }) => [code, id]))
  const moves = entries.map((entry, index) => toMove(entry, index + 1))
  const lines = entries
    .flatMap((entry, index) => entry.postings.map((posting) => toLine(entry, index + 1, posting, idByCode.get(posting.code) ?? 0)))
    .map((line, index) => ({ id: index + 1, ...line }))
  return new Map([
    ['currency.currency', { rows: CURRENCIES, references: {} }],
    ['party.party', { rows: PARTIES.map((name, index) => ({ id: index + 1, name, active: true })), references: {} }],
    ['company.company', { rows: [{ id: 1, party: 1, currency: 1, create_date: COMPANY_CREATED }], references: { party: 'party.party' } }],
    ['account.journal', { rows: JOURNALS, references: {} }],
    ['account.account.type', { rows: listTypes(), references: { parent: 'account.account.type', company: 'company.company' } }],
    [
      'account.account',
      {
        rows: accounts.map((account) => ({ ...account, balance: decimal(balanceOf(entries, account.code ?? null)) })),
        references: {
          ...{ type: 'account.account.type', parent: 'account.account', company: 'company.company' },
          ...{ currency: 'currency.currency', second_currency: 'currency.currency' },
        },
      },
    ],
    ['account.move', { rows: moves, references: { journal: 'account.journal', company: 'company.company' } }],
    ['account.move.line', { rows: lines, references: { move: 'account.move', account: 'account.account', party: 'party.party' } }],
  ])
}

const COMPANY_CREATED: Cell = {
  ...{ __class__: 'datetime', year: 2023, month: 4, day: 11 },
  ...{ hour: 16, minute: 40, second: 5, microsecond: 118_204 },
}

function toMove({ year, month, day, description, journal, origin, isDraft }: Entry, id: number): Row {
  const stamp: Cell = { __class__: 'datetime', year, month, day, hour: 17, minute: id % 60, second: 2, microsecond: 102_245 }
  return {
    ...{ id, company: 1, journal, description, origin, number: String(id), post_number: isDraft ? null : String(id) },
    date: { __class__: 'date', year, month, day },
    state: isDraft ? 'draft' : 'posted',
    create_date: stamp,
    // Posting writes the entry again; a draft is never written again.
    write_date: isDraft ? null : { ...stamp, microsecond: 206_591 },
  }
}

/** Only receivable and payable accounts carry a party. */
function toLine(entry: Entry, move: number, { code, cents, secondCents }: Posting, account: number): Omit<Row, 'id'> {
  const isDebit = cents > 0
  const amount = decimal(entry.isCancellation ? -Math.abs(cents) : Math.abs(cents))
  return {
    ...{ move, account, debit: isDebit ? amount : ZERO, credit: isDebit ? ZERO : amount, description: null },
    party: /^(11|20)/.test(code) ? entry.party : null,
    amount_second_currency: secondCents === undefined ? null : decimal(secondCents),
    second_currency: secondCents === undefined ? null : 2,
  }
}

function balanceOf(entries: readonly Entry[], code: Cell): number {
  const posted = entries.filter(({ isDraft }) => !isDraft)
  return posted.reduce((sum, { postings, isCancellation }) => {
    const own = postings.filter((posting) => posting.code === code).reduce((total, { cents }) => total + cents, 0)
    return isCancellation ? sum - own : sum + own
  }, 0)
}

function decimal(cents: number): Cell {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return { __class__: 'Decimal', decimal: `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` }
}

const ZERO = decimal(0)
