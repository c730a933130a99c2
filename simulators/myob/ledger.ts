import { EditedList } from '../kit/data/edited-list.ts'
import type { Row, SimulatorState } from '../kit/oauth/state.ts'
import { createRandom } from '../kit/random.ts'
import { toAccounts, toGiantChart } from './chart.ts'
import { type CompanyFile, getFile } from './files.ts'
import { toJournals } from './journal.ts'

export interface Books {
  file: CompanyFile
  accounts: EditedList
  journals: EditedList
}

/** The books of every company file with the edits of the state laid over them. */
export class Ledger {
  readonly #state: SimulatorState
  readonly #seed: number
  readonly #giantAccounts: number
  readonly #books = new Map<string, Books>()

  constructor(state: SimulatorState, options: { seed: number; giantAccounts: number }) {
    this.#state = state
    this.#seed = options.seed
    this.#giantAccounts = options.giantAccounts
  }

  /** Throws for an unknown company file. */
  booksOf(fileId: string): Books {
    const known = this.#books.get(fileId)
    if (known) return known
    const file = getFile(fileId)
    const random = createRandom(this.#seed * 1_000_003 + Number.parseInt(fileId.slice(-4), 16))
    const options = { fileId, uri: `/accountright/${fileId}`, random }
    const accounts = file.chart === null ? toGiantChart(Math.max(2, this.#giantAccounts), options) : toAccounts(file.chart, options)
    const journals = toJournals(file.routines, { ...options, months: file.months, accounts: accounts.map(([, row]) => row) })
    const books = {
      file,
      accounts: new EditedList(this.#state, `${fileId}/accounts`, accounts),
      journals: new EditedList(this.#state, `${fileId}/journals`, journals),
    }
    this.#books.set(fileId, books)
    return books
  }

  editAccount(fileId: string, uid: string, changes: Row): Row {
    const { accounts } = this.booksOf(fileId)
    return accounts.put(uid, { ...accounts.get(uid), ...changes, UID: uid })
  }

  /** Adds an active account of the given properties under a new UID. Answers it. */
  addAccount(fileId: string, properties: Row): Row {
    const { accounts } = this.booksOf(fileId)
    const UID = `ffffffff-0000-4000-8000-${accounts.rows.length.toString(16).padStart(12, '0')}`
    return accounts.put(UID, {
      DisplayID: '1-9999',
      Name: 'New',
      Classification: 'Asset',
      Type: 'Bank',
      IsActive: true,
      ...properties,
      UID,
    })
  }

  removeAccount(fileId: string, uid: string): void {
    this.booksOf(fileId).accounts.remove(uid)
  }

  removeJournal(fileId: string, uid: string): void {
    this.booksOf(fileId).journals.remove(uid)
  }
}
