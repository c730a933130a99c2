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

/** Throws the error for a status with its usual HTTP meaning; 2xx passes. Sources with other meanings check first. */
export function throwForStatus(kit: Kit, response: HttpResponse, { source, what, code = '', waitMs }: FailedCall): void {
  const { status } = response
  if (status >= 200 && status < 300) return
  const told = `${source} answered ${what} with ${status}${code === '' ? '' : ` (${code})`}`
  if (status === 429) throw new SourceError('rateLimited', told, { retryAfterMs: retryAfterMs(response.headers, kit.now(), waitMs) })
  if (status === 401 || status === 403) throw new SourceError('reconnect', told)
  if (status === 404 || status === 408 || status >= 500) throw new SourceError('unavailable', told)
  throw new SourceError('badData', told)
}

/** `Authorization` header for user and password, which may contain non-ASCII letters. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}
