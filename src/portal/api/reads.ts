import { keepPreviousData, QueryClient, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type ApiRequest, call, callWhole, type Page, type Query, wholePath } from './client.ts'
import type { Role, Whoami } from './generated/types.ts'
import { Problem } from './problem.ts'
import { isServiceAway, onReach } from './reach.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The browser only guesses; whether the service is there is asked.
      networkMode: 'always',
      retry: (count, error) => count < 2 && (!(error instanceof Problem) || error.isUnreachable),
    },
    mutations: { networkMode: 'always' },
  },
})

// What was asked while the service was away is asked again as soon as it is back, and what hangs is given up.
onReach(() => {
  if (!isServiceAway()) void queries.invalidateQueries()
})

interface ReadOptions {
  /** Asked again this often while the page is open. */
  everyMs?: number | false
  enabled?: boolean
  /** Shows what was there before while another page of the same list comes; never for what is about another thing. */
  keep?: boolean
}

/** One read of the API. Its key is its path, from which "curl for this screen" is made. */
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

/** What was there before stays beside the reason why another page of the same list did not come. */
function useKept<Data>(read: UseQueryResult<Data, Problem>, keep: boolean): UseQueryResult<Data, Problem> {
  const last = useRef<Data | undefined>(undefined)
  useEffect(() => {
    if (read.data !== undefined) last.current = read.data
  }, [read.data])
  const isKept = keep && read.status === 'error' && read.data === undefined && last.current !== undefined
  return isKept ? ({ ...read, data: last.current } as UseQueryResult<Data, Problem>) : read
}

/** The whole of a list, however many pages it has. */
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

/** What was read at this address and below it is of something that is gone: nobody asks for it again. */
export function forgetReads(path: string): void {
  queries.removeQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(path) })
}

/** One change by the API; afterwards everything shown is read again. */
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

/** What the member's role allows, so that nothing is offered that the API would refuse. */
export function useRights(): { mayOperate: boolean; mayDevelop: boolean } {
  const me = useRead<Whoami>('/auth/me')
  const role = me.data?.role ?? 'viewer'
  return { mayOperate: OPERATORS.includes(role), mayDevelop: DEVELOPERS.includes(role) }
}
