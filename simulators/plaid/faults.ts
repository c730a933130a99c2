import type { Faults } from '../kit/faults.ts'
import { itemFailure, PlaidFailure } from './api/failures.ts'

/** Effect of an armed fault on one answer. */
export type FaultEffect =
  | { kind: 'failure'; failure: PlaidFailure }
  | { kind: 'body'; status: number; type: string; text: string }
  | { kind: 'truncated' }
  | { kind: 'reset' }
  | { kind: 'slow' }
  | { kind: 'huge' }
  | { kind: 'drift' }
  | { kind: 'notReady' }

interface FaultKind {
  /** Paths of the requests that it applies to; defaults to all. */
  paths?: readonly string[]
  /** Applies only after the first page of a listing. */
  midPagination?: boolean
  effect: FaultEffect
}

const SYNC = '/transactions/sync'
const LIABILITIES = '/liabilities/get'
const ITEM_DATA = ['/accounts/get', '/accounts/balance/get', LIABILITIES, SYNC]

const HTML_PAGE = '<!doctype html><html><head><title>Scheduled maintenance</title></head><body><h1>Back soon</h1></body></html>'

export const FAULTS: Record<string, FaultKind> = {
  rateLimit: fails(new PlaidFailure(429, 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT', 'rate limit exceeded for attempts to access this item')),
  unavailable: fails(new PlaidFailure(500, 'API_ERROR', 'INTERNAL_SERVER_ERROR', 'an unexpected error occurred')),
  maintenance: fails(new PlaidFailure(503, 'API_ERROR', 'PLANNED_MAINTENANCE', 'the service is under maintenance')),
  institutionDown: fails(new PlaidFailure(400, 'INSTITUTION_ERROR', 'INSTITUTION_DOWN', 'this institution is not responding'), ITEM_DATA),
  loginRequired: fails(itemFailure('ITEM_LOGIN_REQUIRED'), ITEM_DATA),
  revoked: fails(itemFailure('USER_PERMISSION_REVOKED'), ITEM_DATA),
  productNotReady: fails(itemFailure('PRODUCT_NOT_READY'), [SYNC, LIABILITIES]),
  noLiabilities: fails(itemFailure('NO_LIABILITY_ACCOUNTS'), [LIABILITIES]),
  liabilitiesNotSupported: fails(itemFailure('PRODUCTS_NOT_SUPPORTED'), [LIABILITIES]),
  consentRequired: fails(
    new PlaidFailure(400, 'INVALID_INPUT', 'ADDITIONAL_CONSENT_REQUIRED', 'client does not have user consent to access this product'),
    [LIABILITIES],
  ),
  mutation: {
    paths: [SYNC],
    midPagination: true,
    effect: {
      kind: 'failure',
      failure: new PlaidFailure(
        400,
        'TRANSACTIONS_ERROR',
        'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION',
        'underlying transaction data changed since last page was fetched. Please restart pagination from last update.',
      ),
    },
  },
  invalidKeys: fails(new PlaidFailure(400, 'INVALID_INPUT', 'INVALID_API_KEYS', 'invalid client_id or secret provided')),
  unauthorized: { effect: { kind: 'body', status: 401, type: 'application/json', text: '{}' } },
  html: { effect: { kind: 'body', status: 200, type: 'text/html', text: HTML_PAGE } },
  empty: { effect: { kind: 'body', status: 200, type: 'application/json', text: '' } },
  truncated: { effect: { kind: 'truncated' } },
  reset: { effect: { kind: 'reset' } },
  slow: { effect: { kind: 'slow' } },
  huge: { effect: { kind: 'huge' } },
  schemaDrift: { paths: ['/accounts/get', SYNC, '/institutions/get'], effect: { kind: 'drift' } },
  transactionsNotReady: { paths: [SYNC], effect: { kind: 'notReady' } },
}

/** Effect of the first armed fault that applies to this request, consumed by it; null if there is none. */
export function takeEffect(faults: Faults<string, FaultKind>, path: string, midPagination: boolean): FaultEffect | null {
  const fault = faults.takeFirst((each) => (each.paths?.includes(path) ?? true) && (!each.midPagination || midPagination))
  return fault?.effect ?? null
}

function fails(failure: PlaidFailure, paths?: readonly string[]): FaultKind {
  const effect: FaultEffect = { kind: 'failure', failure }
  return paths ? { paths, effect } : { effect }
}
