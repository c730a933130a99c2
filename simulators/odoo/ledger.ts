import { giantName } from '../kit/data/giant-names.ts'
import { putRow } from '../kit/data/rows.ts'
import { createRandom, type Random } from '../kit/random.ts'
import { toAccount, toAccounts } from './chart.ts'
import { COMPANIES, type Company } from './companies.ts'
import { type Journal, toJournal } from './journal.ts'
import type { Row, SimulatorState } from './state.ts'

interface Books extends Journal {
  accounts: Row[]
}

/** The books of all companies, made when they are first looked at, with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #books = new Map<number, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  booksOf(companyId: number): Books {
    const known = this.#books.get(companyId)
    if (known) return known
    const company = COMPANIES.find(({ id }) => id === companyId)
    if (!company) throw new Error(`no company ${companyId}; there are: ${COMPANIES.map(({ id }) => id).join(', ')}`)
    const books = this.#make(company)
    this.#books.set(companyId, books)
    return books
  }

  /** Changes fields of an account as a bookkeeper would: `write_date` moves on. Answers the account. */
  editAccount(companyId: number, accountId: number, changes: Record<string, unknown>): Row {
    const before = this.booksOf(companyId).accounts.find(({ id }) => id === accountId)
    if (!before) throw new Error(`no account ${accountId} in company ${companyId}`)
    return this.#keep(companyId, { ...before, ...changes, id: accountId, write_date: toStamp(this.#now()) })
  }

  /** Adds an account with the next id. Answers it. */
  addAccount(companyId: number, fields: { code: string; name: string; accountType: string }): Row {
    const { accounts } = this.booksOf(companyId)
    const id = Math.max(companyId * 100_000, ...accounts.slice(-1).map((account) => account.id)) + 1
    const plan = { id, companyId, ...fields, currency: '', isArchived: false, description: '', random: createRandom(id) }
    return this.#keep(companyId, { ...toAccount(plan), write_date: toStamp(this.#now()) })
  }

  removeAccount(companyId: number, accountId: number): void {
    const books = this.booksOf(companyId)
    books.accounts = books.accounts.filter(({ id }) => id !== accountId)
    this.#state.data.removedAccounts.push(accountId)
    this.#state.save()
  }

  /** Resets an entry to draft and deletes it: from then on it is in no answer. */
  removeMove(companyId: number, moveId: number): void {
    const books = this.booksOf(companyId)
    books.moves = books.moves.filter(({ id }) => id !== moveId)
    this.#state.data.removedMoves.push(moveId)
    this.#state.save()
  }

  #make(company: Company): Books {
    const random = createRandom(this.#seed * 1_000_003 + company.id)
    const own =
      company.chart === null ? toGiantChart(this.#giantAccounts, company.id, random) : toAccounts(company.chart, company.id, random)
    const shared = company.parentId === null ? [] : this.booksOf(company.parentId).accounts
    const journal = toJournal(company, [...own, ...shared], random)
    const { accounts: edited, removedAccounts, removedMoves } = this.#state.data
    const accounts = own.filter(({ id }) => !removedAccounts.includes(id))
    for (const account of edited[company.id] ?? []) if (!removedAccounts.includes(account.id)) putRow(accounts, account, 'id')
    return { accounts, moves: journal.moves.filter(({ id }) => !removedMoves.includes(id)), lines: journal.lines }
  }

  #keep(companyId: number, account: Row): Row {
    putRow(this.booksOf(companyId).accounts, account, 'id')
    const kept = this.#state.data.accounts[companyId] ?? []
    putRow(kept, account, 'id')
    this.#state.data.accounts[companyId] = kept
    this.#state.save()
    return account
  }
}

const GIANT_TYPES = [
  ...['asset_cash', 'asset_receivable', 'asset_current', 'asset_fixed', 'liability_payable', 'liability_current'],
  ...['equity', 'income', 'expense_direct_cost', 'expense'],
]

function toGiantChart(count: number, companyId: number, random: Random): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const code = String(index + 1).padStart(5, '0')
    const accountType = GIANT_TYPES[index % GIANT_TYPES.length] ?? 'asset_cash'
    const plan = { id: companyId * 100_000 + index + 1, companyId, code, name: giantName(index + 1), accountType }
    return toAccount({ ...plan, currency: '', isArchived: index % 97 === 96, description: '', random })
  })
}

/** `2026-05-04 10:30:00`, UTC. */
function toStamp(instant: Date): string {
  return instant.toISOString().slice(0, 19).replace('T', ' ')
}
