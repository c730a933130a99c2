import { byId, EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { toAccounts, toGiantChart, toId, toLocalTime } from './chart.ts'
import { getOrganization, type Organization } from './companies.ts'
import { toJournals } from './journal.ts'

/** All data of one organization. */
export interface Books {
  organization: Organization
  accounts: EditedList
  /** Newest last. */
  journals: EditedList
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every organization, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** Current books; throws if the organization is unknown. */
  const booksOf = onceEach((organizationId: string): Books => {
    const organization = getOrganization(organizationId)
    const random = createRandom(seed * 1_000_003 + Number(organizationId.slice(-4)))
    const { chart } = organization
    const accounts = chart === null ? toGiantChart(giantAccounts, organization, random) : toAccounts(chart, organization, random)
    const journals = toJournals(organization, accounts, random)
    return {
      organization,
      accounts: new EditedList(store, `${organizationId}/accounts`, byId(accounts, 'account_id')),
      journals: new EditedList(store, `${organizationId}/journals`, byId(journals, 'journal_id')),
    }
  })
  const touched = (organizationId: string): Row => ({
    last_modified_time: toLocalTime(now(), getOrganization(organizationId).offset),
  })
  return {
    booksOf,
    listAccounts: (organizationId: string): readonly Row[] => booksOf(organizationId).accounts.rows,
    /** Newest last. */
    listJournals: (organizationId: string): readonly Row[] => booksOf(organizationId).journals.rows,

    /**
     * Changes properties of an account as a bookkeeper would, which updates its last_modified_time. Returns the
     * account.
     */
    editAccount(organizationId: string, accountId: string, changes: Row): Row {
      const { accounts } = booksOf(organizationId)
      return accounts.put(accountId, { ...accounts.get(accountId), ...changes, account_id: accountId, ...touched(organizationId) })
    },

    /** Adds an active account created now, an expense unless `properties` says otherwise. Returns it. */
    addAccount(organizationId: string, properties: Row): Row {
      const { accounts, organization } = booksOf(organizationId)
      const id = toId(organization, 900_000 + accounts.size)
      const base = { account_id: id, account_name: 'New', account_code: '', account_type: 'expense', is_active: true }
      const account = { ...base, ...properties, ...touched(organizationId) }
      return accounts.put(String(account.account_id), account)
    },

    /** Deletes an account; no answer contains it from then on. */
    removeAccount: (organizationId: string, accountId: string): void => booksOf(organizationId).accounts.remove(accountId),

    /** Changes properties of a journal, which updates its last_modified_time. Returns it. */
    editJournal(organizationId: string, journalId: string, changes: Row): Row {
      const { journals } = booksOf(organizationId)
      return journals.put(journalId, { ...journals.get(journalId), ...changes, journal_id: journalId, ...touched(organizationId) })
    },

    /** Deletes a journal; no answer contains it from then on. */
    removeJournal: (organizationId: string, journalId: string): void => booksOf(organizationId).journals.remove(journalId),
  }
}
