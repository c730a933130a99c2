import { byId, EditedList, type EditsStore } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { type Books, toBooks } from './books.ts'
import type { Row } from './chart.ts'
import { COMPANIES, findCompany } from './companies.ts'

export type Ledger = ReturnType<typeof createLedger>

/** Books of every company, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  const listsOf = onceEach((realmId: string) => {
    const company = findCompany(realmId)
    if (!company) throw new Error(`unknown realm ${realmId}; known: ${COMPANIES.map(({ realmId: id }) => id).join(', ')}`)
    const { info, accounts, entries } = toBooks(company, seed, giantAccounts)
    return {
      info,
      accounts: new EditedList(store, `${realmId}/accounts`, byId(accounts, 'Id')),
      entries: new EditedList(store, `${realmId}/entries`, byId(entries, 'Id')),
    }
  })
  return {
    /** Current books of the company; throws if the realm is unknown. */
    booksOf(realmId: string): Books {
      const { info, accounts, entries } = listsOf(realmId)
      return { info, accounts: accounts.rows, entries: entries.rows }
    },

    /**
     * Changes properties of an account as a bookkeeper would, which updates its SyncToken and LastUpdatedTime. Returns
     * the account.
     */
    editAccount(realmId: string, accountId: string, changes: Record<string, unknown>): Row {
      const { accounts } = listsOf(realmId)
      const before = accounts.get(accountId)
      const metaData = typeof before.MetaData === 'object' ? before.MetaData : {}
      return accounts.put(accountId, {
        ...before,
        ...changes,
        Id: accountId,
        SyncToken: String(Number(before.SyncToken) + 1),
        MetaData: { ...metaData, LastUpdatedTime: now().toISOString() },
      })
    },

    /** Adds an account with the next Id, created now. Returns it. */
    addAccount(realmId: string, properties: Record<string, unknown>): Row {
      const { accounts } = listsOf(realmId)
      const Id = String(1 + Math.max(0, ...accounts.rows.slice(-1).map((account) => Number(account.Id))))
      const base = { SubAccount: false, Active: true, CurrentBalance: 0, CurrentBalanceWithSubAccounts: 0, domain: 'QBO', sparse: false }
      return accounts.put(Id, { ...base, ...properties, Id, SyncToken: '0', MetaData: { CreateTime: now().toISOString() } })
    },

    /** Deletes a journal entry; no answer contains it from then on. */
    removeJournalEntry: (realmId: string, entryId: string): void => listsOf(realmId).entries.remove(entryId),
  }
}
