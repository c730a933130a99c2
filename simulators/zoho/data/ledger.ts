import { byId, EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { toAccounts, toGiantChart, toId, toLocalTime } from './chart.ts'
import { getOrganization, type Organization } from './companies.ts'
import { toJournals } from './journal.ts'

/** Everything the API knows of one organization. */
export interface Books {
  organization: Organization
  accounts: EditedList
  /** Newest last. */
  journals: EditedList
}

export type Ledger = ReturnType<typeof createLedger>

/** The books of every organization with the edits of the state laid over them. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** The current books; throws for an unknown organization. */
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

    /** Changes properties of an account as a bookkeeper would: its last_modified_time moves on. Answers the account. */
    editAccount(organizationId: string, accountId: string, changes: Row): Row {
      const { accounts } = booksOf(organizationId)
      return accounts.put(accountId, { ...accounts.get(accountId), ...changes, account_id: accountId, ...touched(organizationId) })
    },

    /** Adds an active account made now, an expense where `properties` do not say otherwise. Answers it. */
    addAccount(organizationId: string, properties: Row): Row {
      const { accounts, organization } = booksOf(organizationId)
      const id = toId(organization, 900_000 + accounts.size)
      const base = { account_id: id, account_name: 'New', account_code: '', account_type: 'expense', is_active: true }
      const account = { ...base, ...properties, ...touched(organizationId) }
      return accounts.put(String(account.account_id), account)
    },

    /** Deletes an account: from then on it is in no answer. */
    removeAccount: (organizationId: string, accountId: string): void => booksOf(organizationId).accounts.remove(accountId),

    /** Changes properties of a journal; its last_modified_time moves on. Answers it. */
    editJournal(organizationId: string, journalId: string, changes: Row): Row {
      const { journals } = booksOf(organizationId)
      return journals.put(journalId, { ...journals.get(journalId), ...changes, journal_id: journalId, ...touched(organizationId) })
    },

    /** Deletes a journal: from then on it is in no answer. */
    removeJournal: (organizationId: string, journalId: string): void => booksOf(organizationId).journals.remove(journalId),
  }
}
