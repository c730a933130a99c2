import { keepPreviousData, QueryClient, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { isServiceUnreachable, onAvailability } from './availability.ts'
import { type ApiRequest, call, callWhole, type Page, type Query, wholePath } from './client.ts'
import type { Role, Whoami } from './generated/types.ts'
import { Problem } from './problem.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // `navigator.onLine` only guesses; `availability.ts` asks the service.
      networkMode: 'always',
      retry: (count, error) => count < 2 && (!(error instanceof Problem) || error.isUnreachable),
    },
    mutations: { networkMode: 'always' },
  },
})

// Once the service is back, every query is repeated and requests that hang are dropped.
onAvailability(() => {
  if (!isServiceUnreachable()) void queries.invalidateQueries()
})

interface ReadOptions {
  /** Polling interval while the page is open. */
  everyMs?: number | false
  enabled?: boolean
  /** Keeps the previous data while another page of the same list loads; never for data of another record. */
  keep?: boolean
}

/** Query of the API. Its key is its path, from which "curl for this screen" is made. */
export function useRead<Answer>(
  path: string,
  { everyMs = false, enabled = true, keep = false }: ReadOptions = {},
): UseQueryResult<Answer, Problem> {
  const read = useQuery<Answer, Problem>({
    queryKey: [path],
    queryFn: () => call<Answer>(path),
    refetchInterval: everyMs,
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  })
  return useKept(read, keep)
}

/** Keeps the previous data beside the error of another page of the same list. */
function useKept<Data>(read: UseQueryResult<Data, Problem>, keep: boolean): UseQueryResult<Data, Problem> {
  const last = useRef<Data | undefined>(undefined)
  useEffect(() => {
    if (read.data !== undefined) last.current = read.data
  }, [read.data])
  const isKept = keep && read.status === 'error' && read.data === undefined && last.current !== undefined
  return isKept ? ({ ...read, data: last.current } as UseQueryResult<Data, Problem>) : read
}

/** Query of a whole list, all of its pages. */
export function useWhole<Item>(
  path: string,
  query: Query = {},
  { everyMs = false, enabled = true, keep = false }: ReadOptions = {},
): UseQueryResult<Page<Item>, Problem> {
  const read = useQuery<Page<Item>, Problem>({
    queryKey: [wholePath(path, query)],
    queryFn: () => callWhole<Item>(path, query),
    refetchInterval: everyMs,
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  })
  return useKept(read, keep)
}

/** Drops the queries of a deleted record: its path and everything below it. */
export function forgetReads(path: string): void {
  queries.removeQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(path) })
}

/** Mutation by the API; every query is invalidated afterwards. */
export function useChange<Input, Answer = unknown>(
  toRequest: (input: Input) => ApiRequest & { path: string },
  onDone?: (answer: Answer, input: Input) => void,
) {
  const client = useQueryClient()
  const mutation = useMutation<Answer, Problem, Input>({
    mutationFn: (input) => {
      const { path, ...request } = toRequest(input)
      return call<Answer>(path, request)
    },
    onSuccess: async (answer, input) => {
      onDone?.(answer, input)
      await client.invalidateQueries()
    },
  })
  return {
    ...mutation,
    /** Props of the `Confirm` that runs it. */
    toConfirm: (input: Input) => ({
      isBusy: mutation.isPending,
      problem: mutation.error,
      onConfirm: (done: () => void) => mutation.mutate(input, { onSuccess: done }),
    }),
  }
}

const DEVELOPERS: readonly Role[] = ['admin', 'developer']
const OPERATORS: readonly Role[] = ['admin', 'developer', 'integration']

/** Permissions of the signed-in role, so that no button leads to a 403. */
export function useRights(): { mayOperate: boolean; mayDevelop: boolean; mayReadAudit: boolean; isAdmin: boolean } {
  const me = useRead<Whoami>('/auth/me')
  const role = me.data?.role ?? 'viewer'
  return {
    mayOperate: OPERATORS.includes(role),
    mayDevelop: DEVELOPERS.includes(role),
    mayReadAudit: role === 'admin',
    isAdmin: role === 'admin',
  }
}
