import type { Faults } from '../kit/faults.ts'

/** Effect of a fault on one request. */
export type FaultEffect =
  | { kind: 'answer'; status: number; body: string; headers?: Record<string, string> }
  | { kind: 'truncated' | 'reset' | 'slow' | 'huge' | 'partial' | 'repeatPage' | 'drift' | 'doubles' }

interface Fault {
  /** Requests that it applies to; defaults to data requests. */
  on?: 'data' | 'account' | 'token' | 'dataAndToken' | 'laterPage' | 'directory'
  effect: FaultEffect
  /** Effect at the token endpoint, instead of `effect`. */
  tokenEffect?: FaultEffect
}

export type RequestKind = 'data' | 'account' | 'token' | 'directory' | 'other'

const HTML = '<!doctype html><html><head><title>Entretien</title></head><body><h1>De retour bientôt</h1></body></html>'

export const FAULTS: Readonly<Record<string, Fault>> = {
  rateLimit: { effect: refusal(429, 1207, 'Too many requests', { 'retry-after': '20' }) },
  rateLimitUntimed: { effect: refusal(429, 1207, 'Too many requests') },
  unavailable: { effect: refusal(500, 500, 'Internal server error') },
  subsystem: { effect: refusal(501, 501, 'Subsystem unavailable') },
  maintenance: { effect: refusal(503, 503, 'Scheduled maintenance') },
  revoked: { on: 'dataAndToken', effect: refusal(403, 602, 'Customer not authorized'), tokenEffect: tokenRefusal(400, 'invalid_grant') },
  forbidden: { effect: refusal(403, 602, 'Customer not authorized') },
  customerUnknown: { effect: refusal(404, 601, 'Customer not found') },
  unauthorized: { effect: { kind: 'answer', status: 401, body: '{}' } },
  accountUnknown: { on: 'account', effect: refusal(404, 701, 'Account not found') },
  accountClosed: { on: 'account', effect: refusal(409, 705, 'Account is closed') },
  accountLocked: { on: 'account', effect: refusal(403, 706, 'Access forbidden') },
  noData: { on: 'account', effect: refusal(404, 1107, 'Data not found') },
  nothingThere: { on: 'account', effect: { kind: 'answer', status: 204, body: '' } },
  invalidClient: { on: 'token', effect: tokenRefusal(401, 'invalid_client') },
  tokenDown: { on: 'token', effect: { kind: 'answer', status: 503, body: HTML, headers: { 'content-type': 'text/html' } } },
  directoryDown: { on: 'directory', effect: refusal(503, 503, 'Scheduled maintenance') },
  partial: { effect: { kind: 'partial' } },
  repeatPage: { on: 'laterPage', effect: { kind: 'repeatPage' } },
  schemaDrift: { effect: { kind: 'drift' } },
  pendingLingers: { on: 'account', effect: { kind: 'doubles' } },
  html: { effect: { kind: 'answer', status: 200, body: HTML, headers: { 'content-type': 'text/html' } } },
  empty: { effect: { kind: 'answer', status: 200, body: '' } },
  truncated: { effect: { kind: 'truncated' } },
  reset: { effect: { kind: 'reset' } },
  slow: { effect: { kind: 'slow' } },
  huge: { effect: { kind: 'huge' } },
}

/** Effect of the first armed fault that applies to this request, consumed by it; null if there is none. */
export function takeEffect(faults: Faults<string, Fault>, kind: RequestKind, isLaterPage: boolean): FaultEffect | null {
  const fault = faults.takeFirst((each) => strikes(each, kind, isLaterPage))
  return (kind === 'token' ? fault?.tokenEffect : undefined) ?? fault?.effect ?? null
}

function strikes({ on = 'data' }: Fault, kind: RequestKind, isLaterPage: boolean): boolean {
  const isData = kind === 'data' || kind === 'account'
  if (on === 'data') return isData
  if (on === 'dataAndToken') return isData || kind === 'token'
  if (on === 'laterPage') return isData && isLaterPage
  return on === kind
}

/** An error in FDX format. Source: https://plaid.com/core-exchange/docs/reference/6.4/ (Error responses) */
export function fdxError(code: number, message: string): string {
  return JSON.stringify({ code, message, debugMessage: `interaction ${code}` })
}

function refusal(status: number, code: number, message: string, headers: Record<string, string> = {}): FaultEffect {
  return { kind: 'answer', status, body: fdxError(code, message), headers: { 'content-type': 'application/json', ...headers } }
}

function tokenRefusal(status: number, error: string): FaultEffect {
  return {
    kind: 'answer',
    status,
    body: JSON.stringify({ error, error_description: error }),
    headers: { 'content-type': 'application/json' },
  }
}
