import { randomUUID } from 'node:crypto'
import { putRow } from '../kit/data/rows.ts'
import { createRandom } from '../kit/random.ts'
import { toAccounts, toGiantChart, toMsDate, toUuid } from './chart.ts'
import { toEntries, toJournal, toManualJournals } from './journal.ts'
import { getOrganisation, type Organisation } from './organisations.ts'
import type { Row, SimulatorState } from './state.ts'

/** Everything the API knows of one organisation. */
export interface Books {
  accounts: Row[]
  /** In the order of their numbers. */
  journals: Row[]
  manualJournals: Row[]
  organisation: Row
}

/** The books of every organisation with the edits of the state laid over them. */
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

  /** The current books; throws for an unknown tenant. */
  booksOf(tenantId: string): Books {
    const known = this.#books.get(tenantId)
    if (known) return known
    const organisation = getOrganisation(tenantId)
    const random = createRandom(this.#seed * 1_000_003 + Number(tenantId.slice(-4)))
    const { chart, currency } = organisation
    const accounts =
      chart === null ? toGiantChart(this.#giantAccounts, tenantId, currency, random) : toAccounts(chart, tenantId, currency, random)
    const entries = toEntries(organisation, accounts, random)
    const edits = this.#state.editsOf(tenantId)
    for (const account of edits.accounts) putRow(accounts, account, 'AccountID')
    const removed = new Set(edits.removedAccounts)
    const books = {
      accounts: accounts.filter(({ AccountID }) => !removed.has(String(AccountID))),
      journals: [...entries.map((entry) => toJournal(entry, tenantId)), ...edits.journals],
      manualJournals: toManualJournals(entries, tenantId),
      organisation: toOrganisation(organisation),
    }
    this.#books.set(tenantId, books)
    return books
  }

  /** Changes properties of an account as a bookkeeper would: its UpdatedDateUTC moves on. Answers the account. */
  editAccount(tenantId: string, accountId: string, changes: Row): Row {
    const before = this.booksOf(tenantId).accounts.find(({ AccountID }) => AccountID === accountId)
    if (!before) throw new Error(`no account ${accountId} in organisation ${tenantId}`)
    return this.#keep(tenantId, { ...before, ...changes, AccountID: accountId, UpdatedDateUTC: toMsDate(this.#now().getTime()) })
  }

  /** Adds an active account made now, an EXPENSE where `properties` do not say otherwise. Answers it. */
  addAccount(tenantId: string, properties: Row): Row {
    const base = { AccountID: randomUUID(), Name: 'New', Status: 'ACTIVE', Type: 'EXPENSE', Class: 'EXPENSE' }
    return this.#keep(tenantId, { ...base, ...properties, UpdatedDateUTC: toMsDate(this.#now().getTime()) })
  }

  /** Deletes an account: from then on it is in no list. */
  removeAccount(tenantId: string, accountId: string): void {
    const books = this.booksOf(tenantId)
    if (!books.accounts.some(({ AccountID }) => AccountID === accountId)) throw new Error(`no account ${accountId}`)
    books.accounts = books.accounts.filter(({ AccountID }) => AccountID !== accountId)
    this.#state.editsOf(tenantId).removedAccounts.push(accountId)
    this.#state.save()
  }

  /** Posts a journal of two lines with the next number, dated today. Answers it. */
  postJournal(tenantId: string, posting: { debit: string; credit: string; cents: number; note: string }): Row {
    const { accounts, journals } = this.booksOf(tenantId)
    const find = (id: string) => {
      const account = accounts.find(({ AccountID }) => AccountID === id)
      if (!account) throw new Error(`no account ${id}`)
      return account
    }
    const nowMs = this.#now().getTime()
    const lines = [
      { account: find(posting.debit), cents: posting.cents },
      { account: find(posting.credit), cents: -posting.cents },
    ]
    const number = 1 + Number(journals.at(-1)?.JournalNumber ?? 0)
    const dayMs = nowMs - (nowMs % 86_400_000)
    const journal = toJournal({ number, source: 'MANJOURNAL', note: posting.note, dayMs, postedAt: nowMs, lines }, tenantId)
    journals.push(journal)
    this.#state.editsOf(tenantId).journals.push(journal)
    this.#state.save()
    return journal
  }

  /** What the monthly reset of a demo company does to its journals: the same books under new ids, counted from 1 anew. */
  resetJournals(tenantId: string): void {
    const books = this.booksOf(tenantId)
    books.journals = books.journals
      .slice(0, -5)
      .map((journal) => ({ ...journal, JournalID: toUuid(tenantId, `reset ${journal.JournalID}`) }))
  }

  #keep(tenantId: string, account: Row): Row {
    putRow(this.booksOf(tenantId).accounts, account, 'AccountID')
    putRow(this.#state.editsOf(tenantId).accounts, account, 'AccountID')
    this.#state.save()
    return account
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
