import { InputRefused } from '../../connectors/contract/authorization.ts'
import { SourceError } from '../../connectors/contract/contract.ts'
import type { LocalizedText } from '../../model/values/text.ts'
import { QuotaReached } from '../../store/operators/quotas.ts'
import { Declined } from '../../sync/authorize/authorization-failure.ts'
import { UnknownState } from '../../sync/authorize/authorize.ts'
import { ConsentTakenBack } from '../../sync/authorize/consent.ts'
import { EntityMismatch } from '../../sync/authorize/grant.ts'
import { InstanceSuspended, LinkAlreadyUsed } from '../../sync/links/errors.ts'
import { LinkLimitReached } from '../../sync/links/link.ts'

/** Problems shown to an owner, with the status of the page. */
export const PROBLEMS = {
  link: 404,
  session: 400,
  used: 410,
  declined: 200,
  incomplete: 422,
  mismatch: 409,
  state: 409,
  silent: 502,
  refused: 502,
  off: 503,
  suspended: 403,
  forged: 403,
  unreadable: 400,
  nowhere: 404,
  often: 429,
  full: 409,
  quota: 409,
  busy: 503,
  ours: 500,
} as const

export type ProblemKind = keyof typeof PROBLEMS

export function isProblemKind(word: string | undefined): word is ProblemKind {
  return word !== undefined && Object.hasOwn(PROBLEMS, word)
}

export interface ProblemDetails {
  /** With `mismatch`: the entity connected before and the one just chosen. */
  names?: { before: string; now: string }
  /** With `incomplete`: the source's own words. */
  text?: LocalizedText
  /** With `often`. */
  retryAfterSeconds?: number
}

/** Ends a request with the page that explains `kind` to the owner. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly details: ProblemDetails

  constructor(kind: ProblemKind, options: { details?: ProblemDetails; cause?: unknown } = {}) {
    super(kind, { cause: options.cause })
    this.name = 'Problem'
    this.kind = kind
    this.details = options.details ?? {}
  }
}

/** OAuth errors of a failing source. Source: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 */
const SOURCE_IN_TROUBLE = ['server_error', 'temporarily_unavailable']
/** OAuth errors caused by the registration of the app. */
const OPERATOR_AT_FAULT = ['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope']

/** Maps `error` to the problem shown to the owner. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof QuotaReached) return new Problem(error.quota === 'uploads' ? 'often' : 'quota', { cause: error })
  if (error instanceof InstanceSuspended) return new Problem('suspended', { cause: error })
  if (error instanceof LinkAlreadyUsed) return new Problem('used', { cause: error })
  if (error instanceof LinkLimitReached) return new Problem('full', { cause: error })
  if (error instanceof UnknownState) return new Problem('state', { cause: error })
  if (error instanceof EntityMismatch)
    return new Problem('mismatch', { details: { names: { before: error.before, now: error.now } }, cause: error })
  if (error instanceof Declined) return new Problem(toDeclinedKind(error.message), { cause: error })
  if (error instanceof ConsentTakenBack) return new Problem('declined', { cause: error })
  if (error instanceof InputRefused) return new Problem('incomplete', { details: { text: error.text }, cause: error })
  if (error instanceof SourceError) return new Problem(isSilent(error) ? 'silent' : 'refused', { cause: error })
  return new Problem(toKindOfUnknown(error), { cause: error })
}

export function isSilent(error: SourceError): boolean {
  return error.kind === 'unavailable' || error.kind === 'rateLimited'
}

function toDeclinedKind(word: string): ProblemKind {
  if (SOURCE_IN_TROUBLE.includes(word)) return 'silent'
  return OPERATOR_AT_FAULT.includes(word) ? 'refused' : 'declined'
}

/**
 * Classes 08, 53 and 57P, a cancelled statement or wait, a read-only transaction: the database is down, full, read-only
 * or too slow; or the disk for uploads is full.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const DATABASE_OUT =
  /^(08|53|57P|57014$|55P03$|40P01$|25006$)|^E(CONNREFUSED|CONNRESET|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOSPC|DQUOT)$/

function toKindOfUnknown(error: unknown): ProblemKind {
  if (!(error instanceof Error)) return 'ours'
  if (/^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message)) return 'busy'
  const status = statusOf(error)
  if (status >= 400 && status < 500) return 'unreadable'
  return 'code' in error && typeof error.code === 'string' && DATABASE_OUT.test(error.code) ? 'busy' : 'ours'
}

/** Status of an error of the HTTP framework, or of a hook of the whole service; 0: none. */
function statusOf(error: Error): number {
  const status = 'statusCode' in error ? error.statusCode : 'status' in error ? error.status : 0
  return typeof status === 'number' ? status : 0
}
