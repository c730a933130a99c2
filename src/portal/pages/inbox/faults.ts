import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { callWhole, wholePath } from '../../api/client.ts'
import type { ListedConnection } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { BAD } from '../../texts/messages/statuses.ts'
import { currentConnections } from '../companies/current-connections.ts'

export const STATUSES = '/normalized-data/data-connection/statuses'
const FAULTS = { FilterQuery: BAD.map((code) => `statusCode=${code}`).join('||') }
/** Most companies in one filter. */
const MAX_COMPANIES = 40

/**
 * Current connections with a fault, last changed first. A failed attempt to repair a connection is reported at that connection.
 */
export function useFaults(everyMs: number): UseQueryResult<ListedConnection[], Problem> {
  return useQuery<ListedConnection[], Problem>({
    queryKey: [wholePath(STATUSES, FAULTS)],
    queryFn: readFaults,
    refetchInterval: everyMs,
  })
}

async function readFaults(): Promise<ListedConnection[]> {
  const { data: faults } = await callWhole<ListedConnection>(STATUSES, FAULTS)
  const companies = [...new Set(faults.map(({ companyId }) => `companyId=${companyId}`))]
  const all: ListedConnection[] = []
  for (let from = 0; from < companies.length; from += MAX_COMPANIES) {
    const FilterQuery = companies.slice(from, from + MAX_COMPANIES).join('||')
    all.push(...(await callWhole<ListedConnection>(STATUSES, { FilterQuery })).data)
  }
  return listFaults(all)
}

/** Current connections with a fault. */
function listFaults(connections: readonly ListedConnection[]): ListedConnection[] {
  return [...Map.groupBy(connections, ({ companyId }) => companyId).values()]
    .flatMap(currentConnections)
    .filter(({ statusCode }) => BAD.includes(statusCode))
    .sort((one, other) => other.lastUpdatedOn.localeCompare(one.lastUpdatedOn))
}
