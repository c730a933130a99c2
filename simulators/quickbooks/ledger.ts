import { putRow } from '../kit/data/rows.ts'
import { type Books, toBooks } from './books.ts'
import { COMPANIES, findCompany } from './companies.ts'
import type { Row, SimulatorState } from './state.ts'

/** The books of every company with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #now: () => Date
  readonly #books = new Map<string, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number; now: () => Date }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
    this.#now = options.now
  }

  /** The company's current books; throws for an unknown realm. */
  booksOf(realmId: string): Books {
    const known = this.#books.get(realmId)
    if (known) return known
    const company = findCompany(realmId)
    if (!company) throw new Error(`no company with realm ${realmId}; there are: ${COMPANIES.map(({ realmId: id }) => id).join(', ')}`)
    const books = toBooks(company, this.#seed, this.#giantAccounts)
    const edits = this.#state.editsOf(realmId)
    const removed = new Set(edits.removedEntries)
    books.entries = books.entries.filter((entry) => !removed.has(entry.Id))
    for (const account of edits.accounts) putRow(books.accounts, account, 'Id')
    this.#books.set(realmId, books)
    return books
  }

  /** Changes properties of an account as a bookkeeper would: its SyncToken and LastUpdatedTime move on. Answers the account. */
  editAccount(realmId: string, accountId: string, changes: Record<string, unknown>): Row {
    const before = this.booksOf(realmId).accounts.find(({ Id }) => Id === accountId)
    if (!before) throw new Error(`no account ${accountId} in realm ${realmId}`)
    const metaData = typeof before.MetaData === 'object' ? before.MetaData : {}
    return this.#keep(realmId, {
      ...before,
      ...changes,
      Id: accountId,
      SyncToken: String(Number(before.SyncToken) + 1),
      MetaData: { ...metaData, LastUpdatedTime: this.#now().toISOString() },
    })
  }

  /** Adds an account with the next Id, made now. Answers it. */
  addAccount(realmId: string, properties: Record<string, unknown>): Row {
    const { accounts } = this.booksOf(realmId)
    const id = 1 + Math.max(0, ...accounts.slice(-1).map(({ Id }) => Number(Id)))
    const base = { SubAccount: false, Active: true, CurrentBalance: 0, CurrentBalanceWithSubAccounts: 0, domain: 'QBO', sparse: false }
    return this.#keep(realmId, {
      ...base,
      ...properties,
      Id: String(id),
      SyncToken: '0',
      MetaData: { CreateTime: this.#now().toISOString() },
    })
  }

  /** Deletes a journal entry: from then on it is in no answer. */
  removeJournalEntry(realmId: string, entryId: string): void {
    const books = this.booksOf(realmId)
    if (!books.entries.some(({ Id }) => Id === entryId)) throw new Error(`no journal entry ${entryId} in realm ${realmId}`)
    books.entries = books.entries.filter(({ Id }) => Id !== entryId)
    this.#state.editsOf(realmId).removedEntries.push(entryId)
    this.#state.save()
  }

  #keep(realmId: string, account: Row): Row {
    putRow(this.booksOf(realmId).accounts, account, 'Id')
    putRow(this.#state.editsOf(realmId).accounts, account, 'Id')
    this.#state.save()
    return account
  }
}
