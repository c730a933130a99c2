import { randomUUID } from 'node:crypto'
import { byId, EditedList, type EditsStore, type Row } from '../../kit/data/edited-list.ts'
import type { LedgerOptions } from '../../kit/data/ledger-options.ts'
import { onceEach } from '../../kit/data/once-each.ts'
import { createRandom } from '../../kit/random.ts'
import { toAccounts, toGiantChart, toMsDate, toUuid } from './chart.ts'
import { getOrganisation, type Organisation } from './companies.ts'
import { toEntries, toJournal, toManualJournals } from './journal.ts'

/** All data of one organisation. */
export interface Books {
  accounts: EditedList
  /** In order of number. */
  journals: Row[]
  manualJournals: Row[]
  organisation: Row
}

export type Ledger = ReturnType<typeof createLedger>

/** Books of every organisation, with the edits from the state applied. */
export function createLedger(store: EditsStore<Row>, { seed, giantAccounts, now }: LedgerOptions) {
  /** Current books; throws if the tenant is unknown. */
  const booksOf = onceEach((tenantId: string): Books => {
    const organisation = getOrganisation(tenantId)
    const random = createRandom(seed * 1_000_003 + Number(tenantId.slice(-4)))
    const { chart, currency } = organisation
    const accounts =
      chart === null ? toGiantChart(giantAccounts, tenantId, currency, random) : toAccounts(chart, tenantId, currency, random)
    const entries = toEntries(organisation, accounts, random)
    const made = entries.map((entry) => toJournal(entry, tenantId))
    return {
      accounts: new EditedList(store, `${tenantId}/accounts`, byId(accounts, 'AccountID')),
      journals: new EditedList(store, `${tenantId}/journals`, byId(made, 'JournalID')).rows,
      manualJournals: toManualJournals(entries, tenantId),
      organisation: toOrganisation(organisation),
    }
  })
  return {
    booksOf,
    listAccounts: (tenantId: string): readonly Row[] => booksOf(tenantId).accounts.rows,

    /** Changes properties of an account as a bookkeeper would, which updates its UpdatedDateUTC. Returns the account. */
    editAccount(tenantId: string, accountId: string, changes: Row): Row {
      const { accounts } = booksOf(tenantId)
      const touched = { AccountID: accountId, UpdatedDateUTC: toMsDate(now().getTime()) }
      return accounts.put(accountId, { ...accounts.get(accountId), ...changes, ...touched })
    },

    /** Adds an active account created now, an EXPENSE unless `properties` says otherwise. Returns it. */
    addAccount(tenantId: string, properties: Row): Row {
      const base = { AccountID: randomUUID(), Name: 'New', Status: 'ACTIVE', Type: 'EXPENSE', Class: 'EXPENSE' }
      const account = { ...base, ...properties, UpdatedDateUTC: toMsDate(now().getTime()) }
      return booksOf(tenantId).accounts.put(account.AccountID, account)
    },

    /** Deletes an account; no list contains it from then on. */
    removeAccount: (tenantId: string, accountId: string): void => booksOf(tenantId).accounts.remove(accountId),

    /** Posts a journal of two lines with the next number, dated today. Returns it. */
    postJournal(tenantId: string, posting: { debit: string; credit: string; cents: number; note: string }): Row {
      const { accounts, journals } = booksOf(tenantId)
      const nowMs = now().getTime()
      const lines = [
        { account: accounts.get(posting.debit), cents: posting.cents },
        { account: accounts.get(posting.credit), cents: -posting.cents },
      ]
      const number = 1 + Number(journals.at(-1)?.JournalNumber ?? 0)
      const dayMs = nowMs - (nowMs % 86_400_000)
      const journal = toJournal({ number, source: 'MANJOURNAL', note: posting.note, dayMs, postedAt: nowMs, lines }, tenantId)
      journals.push(journal)
      store.editsOf(`${tenantId}/journals`).kept[String(journal.JournalID)] = journal
      store.save()
      return journal
    },

    /** Monthly reset of a demo company's journals: the same books under new ids, numbered from 1 again. */
    resetJournals(tenantId: string): void {
      const books = booksOf(tenantId)
      books.journals = books.journals
        .slice(0, -5)
        .map((journal) => ({ ...journal, JournalID: toUuid(tenantId, `reset ${journal.JournalID}`) }))
    },
  }
}

function toOrganisation(organisation: Organisation): Row {
  return {
    Name: organisation.name,
    LegalName: organisation.legalName,
    PaysTax: true,
    Version: 'GLOBAL',
    OrganisationType: 'COMPANY',
    BaseCurrency: organisation.currency,
    CountryCode: organisation.countryCode,
    IsDemoCompany: false,
    OrganisationStatus: 'ACTIVE',
    FinancialYearEndDay: 31,
    FinancialYearEndMonth: 12,
    CreatedDateUTC: toMsDate(Date.UTC(2019, 3, 1)),
    OrganisationEntityType: 'COMPANY',
    ShortCode: '!b0de4',
    Class: 'PREMIUM',
    Edition: 'BUSINESS',
    LineOfBusiness: organisation.lineOfBusiness,
    OrganisationID: organisation.tenantId,
    APIKey: 'SIMULATEDKEYOFTHEORGANISATION',
    Addresses: [],
    Phones: [{ PhoneType: 'OFFICE', PhoneNumber: '5550142', PhoneAreaCode: '403', PhoneCountryCode: '1' }],
    ExternalLinks: [],
  }
}
