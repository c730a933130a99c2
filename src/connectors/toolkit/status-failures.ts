import { type HttpResponse, type Kit, SourceError } from '../contract/contract.ts'
import { retryAfterMs } from './answers.ts'

/** What a failure may say about a call. */
export interface FailedCall {
  /** The source's name. */
  source: string
  what: string
  /** The source's own word for the failure: a code, never a text. */
  code?: string
  /** How long to wait after 429 without `Retry-After`. */
  waitMs: number
}

/** Throws the failure that a status stands for, as every HTTP API means it; 2xx passes. Sources that mean something else tell first. */
export function throwForStatus(kit: Kit, response: HttpResponse, { source, what, code = '', waitMs }: FailedCall): void {
  const { status } = response
  if (status >= 200 && status < 300) return
  const told = `${source} answered ${what} with ${status}${code === '' ? '' : ` (${code})`}`
  if (status === 429) throw new SourceError('rateLimited', told, { retryAfterMs: retryAfterMs(response.headers, kit.now(), waitMs) })
  if (status === 401 || status === 403) throw new SourceError('reconnect', told)
  if (status === 404 || status === 408 || status >= 500) throw new SourceError('unavailable', told)
  throw new SourceError('badData', told)
}

/** The value of `Authorization` for a user and a password, which may hold letters beyond ASCII. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
}
