import { EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { toAccounts, toGiantChart } from './chart.ts'
import { type CompanyFile, getFile } from './companies.ts'
import { toJournals } from './journal.ts'

export interface Books {
  file: CompanyFile
  accounts: EditedList
  journals: EditedList
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every company file, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts }: LedgerOptions) {
  /** Throws for an unknown company file. */
  const booksOf = onceEach((fileId: string): Books => {
    const file = getFile(fileId)
    const random = createRandom(seed * 1_000_003 + Number.parseInt(fileId.slice(-4), 16))
    const options = { fileId, uri: `/accountright/${fileId}`, random }
    const accounts = file.chart === null ? toGiantChart(Math.max(2, giantAccounts), options) : toAccounts(file.chart, options)
    const journals = toJournals(file.routines, { ...options, months: file.months, accounts: accounts.map(([, row]) => row) })
    return {
      file,
      accounts: new EditedList(store, `${fileId}/accounts`, accounts),
      journals: new EditedList(store, `${fileId}/journals`, journals),
    }
  })
  return {
    booksOf,

    editAccount(fileId: string, uid: string, changes: Row): Row {
      const { accounts } = booksOf(fileId)
      return accounts.put(uid, { ...accounts.get(uid), ...changes, UID: uid })
    },

    /** Adds an active account with the given properties under a new UID. Returns it. */
    addAccount(fileId: string, properties: Row): Row {
      const { accounts } = booksOf(fileId)
      const UID = `ffffffff-0000-4000-8000-${accounts.size.toString(16).padStart(12, '0')}`
      const base = { DisplayID: '1-9999', Name: 'New', Classification: 'Asset', Type: 'Bank', IsActive: true }
      return accounts.put(UID, { ...base, ...properties, UID })
    },

    removeAccount: (fileId: string, uid: string): void => booksOf(fileId).accounts.remove(uid),
    removeJournal: (fileId: string, uid: string): void => booksOf(fileId).journals.remove(uid),
  }
}
