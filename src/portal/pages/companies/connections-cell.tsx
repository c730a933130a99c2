import { type UseQueryOptions, useQueries } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call, type Page, withQuery } from '../../api/client.ts'
import type { Company, ListedConnection } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { Status } from '../../parts/display/status.tsx'
import { ServiceName } from '../../parts/display/user-text.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { BAD } from '../../texts/messages/statuses.ts'
import { companyTexts } from '../../texts/pages/companies.ts'

type Connections = Page<ListedConnection>

/** Connections shown of a company. */
const SHOWN = 6
/** Rows asked for at once: of all companies of the page, the most that the API gives; of one company, the fewest. */
const [SHARED_ROWS, OWN_ROWS] = [500, 10]
/** Polling intervals, in milliseconds: of all companies in one request, and of companies that need their own. */
const [SHARED_MS, OWN_MS] = [10_000, 30_000]
const FAULTS = BAD.map((code) => `statusCode=${code}&&isCurrent=true`).join('||')

/** Some of a company's connections, those with a fault first. */
interface ConnectionsPreview {
  connections: readonly ListedConnection[]
  /** Number of its other connections; null where there are some, but how many is not known. */
  others: number | null
}

/**
 * Current connections of the companies of one page: one request for all of them, and where it does not have room, up to
 * two for each company.
 */
export function useConnectionPreviews(companies: readonly Company[]) {
  const filter = companies.map(({ id }) => `companyId=${id}&&isCurrent=true`).join('||')
  const path = withQuery('/normalized-data/data-connection/statuses', { PageSize: SHARED_ROWS, FilterQuery: filter })
  const shared = useRead<Connections>(path, { enabled: companies.length > 0, everyMs: SHARED_MS, keep: true })
  const crowded = shared.data && isCut(shared.data) ? companies : []
  const own = useQueries({ queries: crowded.map(({ id }) => ofCompany(id, 'isCurrent=true', true)) })
  const faults = useQueries({
    queries: crowded.map(({ id }, index) => {
      const page = own[index]?.data
      return ofCompany(id, FAULTS, page !== undefined && isCut(page))
    }),
  })
  const previewOf = ({ id }: Company): ConnectionsPreview => {
    const index = crowded.findIndex((company) => company.id === id)
    const known = (shared.data?.data ?? []).filter(({ companyId }) => companyId === id)
    if (index === -1) return toPreview(known, known.length)
    const page = own[index]?.data
    return toPreview([...(faults[index]?.data?.data ?? []), ...(page?.data ?? known)], page && !page.hasMore ? page.total : null)
  }
  return { shared, reads: [shared, ...own, ...faults], previewOf }
}

function ofCompany(companyId: string, FilterQuery: string, enabled: boolean): UseQueryOptions<Connections, Problem> {
  const path = withQuery(`/normalized-data/company/${companyId}/data-connection/statuses`, { PageSize: OWN_ROWS, FilterQuery })
  return { queryKey: [path], queryFn: () => call<Connections>(path), refetchInterval: OWN_MS, enabled }
}

function isCut({ data, total, hasMore }: Connections): boolean {
  return hasMore === true || total > data.length
}

/** `total`: number of the company's connections, if it is known. */
function toPreview(known: readonly ListedConnection[], total: number | null): ConnectionsPreview {
  const unique = [...new Map(known.map((connection) => [connection.sessionId, connection])).values()]
  const isBad = ({ statusCode }: ListedConnection) => BAD.includes(statusCode)
  const connections = unique.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a))).slice(0, SHOWN)
  return { connections, others: total === null ? null : Math.max(0, total - connections.length) }
}

/** A company's connections in a cell; the others are counted, by a link to the page that has them all. */
export function ConnectionsCell({ company, preview: { connections, others } }: { company: Company; preview: ConnectionsPreview }) {
  const texts = useTexts(companyTexts)
  const formats = useFormats()
  return (
    <div className="glance">
      {connections.map(({ sessionId, serviceName, statusCode }) => (
        <span key={sessionId}>
          <ServiceName most={40}>{serviceName}</ServiceName> <Status code={statusCode} />
        </span>
      ))}
      {others !== 0 && (
        <Link href={`/companies/${company.id}`} aria-label={formats.named(texts.otherConnections(others), company.name.slice(0, 120))}>
          {others === null ? texts.others : `+ ${formats.number(others)}`}
        </Link>
      )}
    </div>
  )
}
