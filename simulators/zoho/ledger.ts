import { putRow } from '../kit/data/rows.ts'
import { createRandom } from '../kit/random.ts'
import { toAccounts, toGiantChart, toId, toLocalTime } from './chart.ts'
import { toJournals } from './journal.ts'
import { getOrganization, type Organization } from './organizations.ts'
import type { Row, SimulatorState } from './state.ts'

/** Everything the API knows of one organization. */
export interface Books {
  organization: Organization
  accounts: Row[]
  journals: Row[]
}

/** The books of every organization with the edits of the state laid over them. */
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

  /** The current books; throws for an unknown organization. */
  booksOf(organizationId: string): Books {
    const known = this.#books.get(organizationId)
    if (known) return known
    const organization = getOrganization(organizationId)
    const random = createRandom(this.#seed * 1_000_003 + Number(organizationId.slice(-4)))
    const accounts =
      organization.chart === null
        ? toGiantChart(this.#giantAccounts, organization, random)
        : toAccounts(organization.chart, organization, random)
    const journals = toJournals(organization, accounts, random)
    const edits = this.#state.editsOf(organizationId)
    const removed = new Set<unknown>(edits.removed)
    for (const account of edits.accounts) putRow(accounts, account, 'account_id')
    for (const journal of edits.journals) putRow(journals, journal, 'journal_id')
    const books = {
      organization,
      accounts: accounts.filter(({ account_id }) => !removed.has(account_id)),
      journals: journals.filter(({ journal_id }) => !removed.has(journal_id)),
    }
    this.#books.set(organizationId, books)
    return books
  }

  /** Changes properties of an account as a bookkeeper would: its last_modified_time moves on. Answers the account. */
  editAccount(organizationId: string, accountId: string, changes: Row): Row {
    const { accounts } = this.booksOf(organizationId)
    const account = { ...find(accounts, 'account_id', accountId), ...changes, account_id: accountId, ...this.#touched(organizationId) }
    putRow(accounts, account, 'account_id')
    putRow(this.#state.editsOf(organizationId).accounts, account, 'account_id')
    this.#state.save()
    return account
  }

  /** Adds an active account made now, an expense where `properties` do not say otherwise. Answers it. */
  addAccount(organizationId: string, properties: Row): Row {
    const { accounts, organization } = this.booksOf(organizationId)
    const id = toId(organization, 900_000 + accounts.length)
    const base = { account_id: id, account_name: 'New', account_code: '', account_type: 'expense', is_active: true }
    const account = { ...base, ...properties, ...this.#touched(organizationId) }
    putRow(accounts, account, 'account_id')
    putRow(this.#state.editsOf(organizationId).accounts, account, 'account_id')
    this.#state.save()
    return account
  }

  /** Deletes an account: from then on it is in no answer. */
  removeAccount(organizationId: string, accountId: string): void {
    const books = this.booksOf(organizationId)
    find(books.accounts, 'account_id', accountId)
    books.accounts = books.accounts.filter(({ account_id }) => account_id !== accountId)
    this.#remember(organizationId, accountId)
  }

  /** Changes properties of a journal; its last_modified_time moves on. Answers it. */
  editJournal(organizationId: string, journalId: string, changes: Row): Row {
    const { journals } = this.booksOf(organizationId)
    const journal = { ...find(journals, 'journal_id', journalId), ...changes, journal_id: journalId, ...this.#touched(organizationId) }
    putRow(journals, journal, 'journal_id')
    putRow(this.#state.editsOf(organizationId).journals, journal, 'journal_id')
    this.#state.save()
    return journal
  }

  /** Deletes a journal: from then on it is in no answer. */
  removeJournal(organizationId: string, journalId: string): void {
    const books = this.booksOf(organizationId)
    find(books.journals, 'journal_id', journalId)
    books.journals = books.journals.filter(({ journal_id }) => journal_id !== journalId)
    this.#remember(organizationId, journalId)
  }

  #touched(organizationId: string): Row {
    return { last_modified_time: toLocalTime(this.#now(), getOrganization(organizationId).offset) }
  }

  #remember(organizationId: string, removedId: string): void {
    this.#state.editsOf(organizationId).removed.push(removedId)
    this.#state.save()
  }
}

function find(rows: readonly Row[], key: string, id: string): Row {
  const row = rows.find((each) => each[key] === id)
  if (!row) throw new Error(`no record ${id}`)
  return row
}
