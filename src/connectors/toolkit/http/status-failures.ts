import { type HttpResponse, type Kit, SourceError } from '../../contract/contract.ts'
import { retryAfterMs } from './answers.ts'

/** Facts about a call that an error may contain. */
export interface FailedCall {
  /** Name of the source. */
  source: string
  what: string
  /** The source's own error code, never a text. */
  code?: string
  /** Wait after a 429 without `Retry-After`. */
  waitMs: number
}

const PARTIAL_CONTENT = 206

/**
 * Whether a call was successful, and its answer is whole: calls ask for no range, and a part that was taken for a list
 * would remove all other records.
 * Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7
 */
export function isSuccess({ status }: Pick<HttpResponse, 'status'>): boolean {
  return status >= 200 && status < 300 && status !== PARTIAL_CONTENT
}

/** Throws the error for a status with its usual HTTP meaning; success passes. Sources with other meanings check first. */
export function throwForStatus(kit: Kit, response: HttpResponse, { source, what, code = '', waitMs }: FailedCall): void {
  const { status } = response
  if (isSuccess(response)) return
  const told = `${source} answered ${what} with ${status}${code === '' ? '' : ` (${code})`}`
  if (status === 429) throw new SourceError('rateLimited', told, { retryAfterMs: retryAfterMs(response.headers, kit.now(), waitMs) })
  if (status === 401 || status === 403) throw new SourceError('reconnect', told)
  if (status === 404 || status === 408 || status >= 500) throw new SourceError('unavailable', told)
  throw new SourceError('badData', told)
}

/** `Authorization` header for user and password, which may contain non-ASCII letters. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
