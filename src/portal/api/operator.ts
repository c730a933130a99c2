import { keepPreviousData, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { fetchWatched } from './availability.ts'
import type { ApiRequest } from './client.ts'
import { Problem, toProblem } from './problem.ts'
import { askForProof } from './proof.ts'
import { createSignal } from './signal.ts'

/** Base path of the operations of operators, whose session is a cookie that scripts cannot read. */
export const OPERATOR_API = '/operator/api/v1'

export interface OperatorSession {
  email: string
  name: string
  step: 'setup' | 'second' | 'open'
}

export interface Instance {
  id: string
  name: string
  kind: 'test' | 'live'
  requiresTwoStep: boolean
  createdOn: string
  suspension: { since: string; reason: string } | null
}

export interface InstanceSignIn {
  issuer: string | null
  isRequired: boolean
  triedOn: string | null
}

export interface Quota {
  name: (typeof QUOTA_NAMES)[number]
  used: number | null
  bound: number | null
  isDefault: boolean
  isNear: boolean
}

export const QUOTA_NAMES = [
  'companies',
  'connections',
  'subscriptions',
  'fileFeeds',
  'replays',
  'storedBytes',
  'uploads',
  'requestsPerMinute',
] as const

export interface OneTimeLink {
  email: string
  address: string
  expiresOn: string
}

export interface Erasure {
  id: string
  name: string
  requestedOn: string
  completedOn: string | null
  receipt: string | null
}

export interface Operator {
  id: string
  email: string
  name: string
  hasPassword: boolean
  twoStep: boolean
}

export interface SourceHealth {
  key: string
  name: string
  isRefusingKeys: boolean
  pausedUntil: string | null
  breaker: 'closed' | 'half-open' | 'open'
  limits: { name: string; remaining: number }[]
}

export interface DeploymentHealth {
  workers: { count: number; slots: number }
  sources: SourceHealth[]
  storage: { databaseBytes: number; tables: { name: string; bytes: number }[] }
}

const sessionEnd = createSignal()

/** Subscribes to the end of the session. */
export const onSessionEnd = sessionEnd.subscribe

/** Calls an operation; `path` is relative to `OPERATOR_API`. Throws a `Problem`. */
export async function callOperator<Answer>(path: string, { method = 'GET', body }: ApiRequest = {}): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  const send = () =>
    fetchWatched(`${OPERATOR_API}${path}`, { method, headers, ...payload }).catch((error: unknown) => {
      throw new Problem(0, String(error))
    })
  const refused = await send()
  const lacksProof = refused.status === 403 && (await toProblem(refused.clone())).reason === 'proof-required'
  const response = lacksProof && (await askForProof()) ? await send() : refused
  if (response.status === 401 && !path.startsWith('/sign-in')) sessionEnd.notify()
  if (!response.ok) throw await toProblem(response)
  if (response.status === 204) return null as Answer
  const answer = await response.json()
  const total = response.headers.get('x-total-count')
  return total === null ? answer : { ...answer, total: Number(total) }
}

export function useOperatorRead<Answer>(path: string, options: { everyMs?: number | false } = {}): UseQueryResult<Answer, Problem> {
  return useQuery<Answer, Problem>({
    queryKey: ['operator', path],
    queryFn: () => callOperator<Answer>(path),
    refetchInterval: options.everyMs ?? false,
    placeholderData: keepPreviousData,
  })
}

/** A change, after which everything is read again. */
export function useOperatorChange<Input, Answer = unknown>(
  toRequest: (input: Input) => ApiRequest & { path: string },
  onDone?: (answer: Answer) => void,
) {
  const client = useQueryClient()
  return useMutation<Answer, Problem, Input>({
    mutationFn: (input) => {
      const { path, ...request } = toRequest(input)
      return callOperator<Answer>(path, request)
    },
    onSuccess: async (answer) => {
      onDone?.(answer)
      await client.invalidateQueries()
    },
  })
}
