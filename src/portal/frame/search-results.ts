import { type Page, withQuery } from '../api/client.ts'
import { companySearch, quoteValue } from '../api/filters.ts'
import type { Company, Delivery, ListedConnection, Service, Subscription } from '../api/generated/types.ts'
import { useRead } from '../api/reads.ts'
import { useServiceName, useServicesNamed, useTexts } from '../texts/language/language.tsx'
import { frameTexts } from '../texts/pages/frame.ts'
import { useAccounts } from './account-results.ts'
import { fits, type Result, rank } from './ranking.ts'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Companies and services fetched, so that those whose names begin with the words are among them. */
const ASKED = 50
/** Services whose connections are looked for; the length of a `FilterQuery` is limited. */
const MOST_SERVICES = 30
const SHOWN_COMPANIES = 10
const SHOWN_OTHERS = 6

type Go = (path: string) => void

/** Matches beyond those that are shown; at least so many where they are not all counted. */
interface More {
  count: number
  isCounted: boolean
}

const NO_MORE: More = { count: 0, isCounted: true }

/** Search results of the API by words or by id; no request while there are none. */
export function useSearchResults(words: string, isOpen: boolean, go: Go) {
  const isId = ID.test(words)
  const isAsked = isOpen && words !== ''
  const companies = useCompanies(words, isId, isAsked)
  const connections = useConnections(words, isId, isAsked, companies.shown)
  const endpoints = useEndpoints(words, isAsked, go)
  const deliveries = useDeliveries(words, isOpen && isId, go)
  const accounts = useAccounts(words, isId, isAsked, go)
  const texts = useTexts(frameTexts)
  const results: Result[] = [
    ...companies.shown.map(({ id, name }) => ({ id, name: name.slice(0, 80), kind: texts.company, run: () => go(`/companies/${id}`) })),
    ...accounts.shown,
    ...endpoints.shown,
    ...connections.shown.map(({ connection, name }) => ({
      id: connection.sessionId,
      name,
      kind: texts.connection,
      run: () => go(`/companies/${connection.companyId}/connections/${connection.serviceId}`),
    })),
    ...deliveries.shown,
  ]
  const reads = isAsked ? [companies.read, ...connections.reads, endpoints.read, ...accounts.reads, ...(isId ? [deliveries.read] : [])] : []
  return { results, reads, more: isId ? NO_MORE : companies.more }
}

function useCompanies(words: string, isId: boolean, isAsked: boolean) {
  const sought = isId ? { FilterQuery: `id=${words}` } : { Search: companySearch(words) }
  const path = withQuery('/normalized-data/companies', { PageSize: ASKED, OrderBy: 'name', ...sought })
  const read = useRead<Page<Company>>(path, { enabled: isAsked, keep: true })
  const shown = isAsked ? rank(read.data?.data ?? [], words).slice(0, SHOWN_COMPANIES) : []
  return { read, shown, more: { count: (read.data?.total ?? 0) - shown.length, isCounted: !read.data?.hasMore } satisfies More }
}

/** Connections of the companies found, and of services with that name. Clauses that have an index find them among any number. */
function useConnections(words: string, isId: boolean, isAsked: boolean, companies: readonly Company[]) {
  const nameOf = useServiceName()
  const services = useServices(words, isAsked && !isId)
  const ofServices = isId ? [`sessionId=${words}`, `serviceId=${words}`] : services.shown.map(({ id }) => `serviceId=${id}`)
  const ofCompanies = companies.slice(0, SHOWN_OTHERS).map(({ id }) => `companyId=${id}`)
  const filter = [...ofServices, ...ofCompanies].join('||')
  const isWanted = isAsked && filter !== '' && !services.read.isLoading
  const path = withQuery('/normalized-data/data-connection/statuses', { PageSize: 20, FilterQuery: filter })
  const read = useRead<Page<ListedConnection>>(path, { enabled: isWanted, keep: true })
  const found = isAsked && filter !== '' ? (read.data?.data ?? []).slice(0, SHOWN_OTHERS) : []
  const ids = [...new Set(found.map(({ companyId }) => `id=${companyId}`))]
  const companiesPath = withQuery('/normalized-data/companies', { PageSize: 20, FilterQuery: ids.join('||') })
  const names = useRead<Page<Company>>(companiesPath, { enabled: ids.length > 0, keep: true })
  const shown = found.flatMap((connection) => {
    const company = names.data?.data.find(({ id }) => id === connection.companyId)
    return company ? [{ connection, name: `${nameOf(connection.serviceName)} · ${company.name.slice(0, 60)}` }] : []
  })
  return { reads: [services.read, read], shown }
}

/** Services by part of their name, also of the name that readers see. */
function useServices(words: string, isAsked: boolean) {
  const findNamed = useServicesNamed()
  const named = findNamed((name) => fits(name, words)).map((name) => `name=${quoteValue(name)}`)
  const filter = [`name~${quoteValue(words)}`, ...named].join('||')
  const path = withQuery('/normalized-data/services', { PageSize: ASKED, OrderBy: 'name', FilterQuery: filter })
  const read = useRead<Page<Service>>(path, { enabled: isAsked })
  const shown = isAsked ? rank(read.data?.data ?? [], words).slice(0, MOST_SERVICES) : []
  return { read, shown }
}

function useEndpoints(words: string, isAsked: boolean, go: Go) {
  const texts = useTexts(frameTexts)
  const read = useRead<Subscription[]>('/webhooks/subscriptions', { enabled: isAsked })
  const found = isAsked ? (read.data ?? []).filter(({ id, callbackUrl }) => id === words.toLowerCase() || fits(callbackUrl, words)) : []
  const shown = found.slice(0, SHOWN_OTHERS).map(({ id, callbackUrl }): Result => {
    return { id, name: callbackUrl.slice(0, 100), kind: texts.endpoint, run: () => go(`/webhooks/${id}`) }
  })
  return { read, shown }
}

/** Deliveries of an event, or one delivery by its own id. */
function useDeliveries(id: string, isAsked: boolean, go: Go) {
  const texts = useTexts(frameTexts)
  const path = withQuery('/webhooks/deliveries', { PageSize: 10, FilterQuery: `id=${id}||eventId=${id}` })
  const read = useRead<Page<Delivery>>(path, { enabled: isAsked })
  const [first] = isAsked ? (read.data?.data ?? []) : []
  const to =
    first && withQuery('/webhooks/deliveries', first.eventId === id.toLowerCase() ? { event: first.eventId } : { delivery: first.id })
  const shown: Result[] = first && to !== undefined ? [{ id: first.id, name: first.kind, kind: texts.deliveries, run: () => go(to) }] : []
  return { read, shown }
}
