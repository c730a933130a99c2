import { type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call, type Page, withQuery } from '../api/client.ts'
import { quoteValue } from '../api/filters.ts'
import type { AccountingAccount, BankAccount, Category, Company, FoundAccounts, ListedConnection } from '../api/generated/types.ts'
import type { Problem } from '../api/problem.ts'
import { useRead } from '../api/reads.ts'
import { dataPath, explanationHref } from '../pages/connection/paths.ts'
import { useTexts } from '../texts/language/language.tsx'
import { dataTexts } from '../texts/pages/data.ts'
import { frameTexts } from '../texts/pages/frame.ts'
import { fits, type Result } from './ranking.ts'

/** Companies, and their connections, whose accounts are searched at once. */
const COMPANIES = 3
const SEARCHED = 12
/** Connections of these companies that are read. */
const LISTED = 100
/** Accounts asked for by one word, so that those that have the other words too are among them. */
const ASKED = 50
const SHOWN = 10
/** Letters typed before all companies are searched, and the most that are sent. */
const [SHORTEST, LONGEST] = [2, 100]

const PROPERTIES: Record<Category, readonly string[]> = {
  Accounting: ['name', 'number'],
  Banking: ['accountName', 'accountNumber'],
}

type Accounts = Page<BankAccount | AccountingAccount>

/** Search for accounts of one company. */
interface AccountSearch {
  company: Pick<Company, 'id' | 'name'>
  words: readonly string[]
}

type Go = (path: string) => void

/**
 * Accounts by name, number or id: those of the company whose page is open, with the words of a company before them
 * (“lafleur chequing”) those of that company, and those of all companies by beginnings of their words.
 */
export function useAccounts(words: string, isId: boolean, isAsked: boolean, go: Go) {
  const ofCompanies = useAccountsOfCompanies(words, isAsked && !isId, go)
  const everywhere = useAccountsEverywhere(words, isAsked, go)
  const known = new Set(ofCompanies.shown.map(({ id }) => id))
  const shown = [...ofCompanies.shown, ...everywhere.shown.filter(({ id }) => !known.has(id))]
  return { shown: shown.slice(0, SHOWN), reads: [...ofCompanies.reads, ...everywhere.reads] }
}

function useAccountsEverywhere(words: string, isAsked: boolean, go: Go) {
  const toResult = useToResult(go)
  const isLong = isAsked && words.length >= SHORTEST
  const read = useRead<FoundAccounts>(withQuery('/normalized-data/accounts', { search: words.slice(0, LONGEST) }), { enabled: isLong })
  const shown = (isLong ? (read.data?.data ?? []) : []).map((account) => {
    const { category, id, origId, companyName, ...found } = account
    return toResult(found, { id: category === 'Banking' ? origId : id, name: found.name, number: found.number }, companyName)
  })
  return { shown, reads: isLong ? [read] : [] }
}

/** Result that leads to the page of an account. */
function useToResult(go: Go) {
  const [frameWords, texts] = [useTexts(frameTexts), useTexts(dataTexts)]
  return (
    connection: Pick<ListedConnection, 'sessionId' | 'companyId' | 'serviceId'>,
    { id, name, number }: KnownAccount,
    company: string,
  ) => {
    // An account without a name of its own is called by its number already.
    const called = [name || texts.unnamed, name.includes(number) ? '' : number].filter(Boolean).join(' ')
    const label = `${called.slice(0, 70)} · ${company.slice(0, 40)}`
    const to = explanationHref(connection, id, 'accounts', null)
    return { id: `${connection.sessionId}-${id}`, name: label, kind: frameWords.accountOf, run: () => go(to) } satisfies Result
  }
}

function useAccountsOfCompanies(words: string, isAsked: boolean, go: Go) {
  const toResult = useToResult(go)
  const { searches, reads } = useSearches(words, isAsked)
  const ofCompanies = searches.map(({ company }) => `companyId=${company.id}&&isCurrent=true`).join('||')
  const listed = withQuery('/normalized-data/data-connection/statuses', { PageSize: LISTED, FilterQuery: ofCompanies })
  const connections = useRead<Page<ListedConnection>>(listed, { enabled: searches.length > 0 })
  const known = searches.length > 0 ? (connections.data?.data ?? []) : []
  const asked = searches
    .flatMap((search) => {
      const connected = known.filter(({ companyId }) => companyId === search.company.id)
      return connected.map((connection) => ({ connection, search, path: accountsPath(connection, search) }))
    })
    .slice(0, SEARCHED)
  const answers = useQueries({
    queries: asked.map(
      ({ path }): UseQueryOptions<Accounts, Problem> => ({
        queryKey: [path],
        queryFn: () => call<Accounts>(path).catch(emptyWhereNothingIsPublished),
      }),
    ),
  })
  const shown = asked.flatMap(({ connection, search }, place): Result[] =>
    (answers[place]?.data?.data ?? []).flatMap((account) => {
      const known = toAccount(account)
      const isMeant = search.words.every((word) => fits(`${known.name} ${known.number}`, word))
      return isMeant ? [toResult(connection, known, search.company.name)] : []
    }),
  )
  return { shown, reads: [...reads, ...(searches.length > 0 ? [connections, ...answers] : [])] }
}

/** Companies whose accounts are searched, with the words that are left for the accounts; and the reads that found them. */
function useSearches(words: string, isAsked: boolean) {
  const { open, read } = useOpenCompany(isAsked)
  const all = words.split(/\s+/).filter(Boolean)
  const [first = ''] = all
  const isTwofold = isAsked && all.length > 1 && first.length > 1
  const path = withQuery('/normalized-data/companies', { PageSize: 50, OrderBy: 'name', FilterQuery: `name~${quoteValue(first)}` })
  const named = useRead<Page<Company>>(path, { enabled: isTwofold })
  const others = (isTwofold ? (named.data?.data ?? []) : []).flatMap((company): AccountSearch[] => {
    const count = all.findLastIndex((_, last) => last < all.length - 1 && fits(company.name, all.slice(0, last + 1).join(' '))) + 1
    return count > 0 && company.id !== open?.id ? [{ company, words: all.slice(count) }] : []
  })
  const fewest = others.toSorted((one, other) => one.words.length - other.words.length).slice(0, COMPANIES)
  const searches: AccountSearch[] = isAsked && open && all.length > 0 ? [{ company: open, words: all }, ...fewest] : fewest
  return { searches, reads: [...(isTwofold ? [named] : []), ...(isAsked ? read : [])] }
}

/** Company whose page is open. */
function useOpenCompany(isAsked: boolean) {
  const [location] = useLocation()
  const id = /^\/companies\/([0-9a-f-]{36})(?:\/|$)/i.exec(location)?.[1]
  const read = useRead<Company>(`/normalized-data/companies/${id}`, { enabled: isAsked && id !== undefined })
  return id === undefined ? { open: undefined, read: [] } : { open: read.data, read: [read] }
}

/** Accounts that have the longest of the words; the others are looked for in the answer. */
function accountsPath(connection: ListedConnection, { words }: AccountSearch): string {
  const longest = words.toSorted((one, other) => other.length - one.length)[0] ?? ''
  const filter = PROPERTIES[connection.category].map((property) => `${property}~${quoteValue(longest)}`).join('||')
  return withQuery(dataPath(connection, connection.category, 'accounts'), { PageSize: ASKED, FilterQuery: filter })
}

/** `id`: as the address of its page has it. */
interface KnownAccount {
  id: string
  name: string
  number: string
}

function toAccount(account: BankAccount | AccountingAccount): KnownAccount {
  if ('accountName' in account) return { id: account.origId, name: account.accountName, number: account.accountNumber }
  return { id: account.id, name: account.name, number: account.number }
}

/** A connection that has published nothing yet answers 404. */
function emptyWhereNothingIsPublished(problem: Problem): Page<never> {
  if (problem.status === 404) return { pageNumber: 1, pageSize: 0, data: [], total: 0 }
  throw problem
}
