import { isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { toMailAddress } from '../../model/values/mail-address.ts'
import { parseWebAddress } from '../../model/values/web-address.ts'
import { isSocket, urlsOf } from '../../store/db/connection/database-url.ts'
import { DEFAULT_QUOTAS, QUOTA_NAMES, type QuotaName } from '../../store/operators/quotas.ts'
import type { ClamdAddress } from '../../sync/malware/clamd.ts'

/** Thrown for an invalid value; `message` describes the valid form. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting'
}

export function toWholeNumber(text: string, from: number, to: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= from && value <= to)) throw new InvalidSetting(`a whole number from ${from} to ${to}`)
  return value
}

/** Retention period in months; null for `never`: nothing is deleted. */
export function toMonths(text: string): number | null {
  if (text === 'never') return null
  try {
    return toWholeNumber(text, 1, 1_200)
  } catch (error) {
    if (error instanceof InvalidSetting) throw new InvalidSetting(`${error.message}, or "never"`)
    throw error
  }
}

export function toOneOf<W extends string>(text: string, words: readonly W[]): W {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw new InvalidSetting(`one of ${words.join(', ')}`)
  return word
}

export function toBoolean(text: string): boolean {
  return toOneOf(text, ['true', 'false']) === 'true'
}

export function toHost(text: string): string {
  const isName = /^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?)*$/i.test(text) && text.length <= 253
  const looksLikeAddress = /^[\d.]+$/.test(text)
  const isAddress = isIP(text) !== 0 && !text.includes('%')
  if (!isAddress && (!isName || looksLikeAddress)) throw new InvalidSetting('an IP address or a host name')
  return text
}

/** Sources: https://www.rfc-editor.org/rfc/rfc1918#section-3, https://www.rfc-editor.org/rfc/rfc4193#section-3 */
const NAMED_RANGES: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
])

/**
 * Addresses and ranges, separated by commas or blanks; a name stands for its ranges. A range of all addresses is
 * rejected: it would trust every client.
 */
export function toProxies(text: string): string[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  return parts.flatMap((part) => {
    const named = NAMED_RANGES.get(part)
    if (named) return named
    const isRange = ipaddr.isValidCIDR(part) && !part.endsWith('/0')
    if (!isRange && (isIP(part) === 0 || part.includes('%')))
      throw new InvalidSetting('a list of addresses (192.0.2.1), ranges (10.0.0.0/8, not /0), "loopback" or "private", separated by commas')
    return [part]
  })
}

export interface Listen {
  host: string
  port: number
}

/** `port`, on loopback, or `host:port`. */
export function toListen(text: string): Listen {
  const [, host = '127.0.0.1', port = ''] = /^(?:\[?([^\]]+?)\]?:)?(\d+)$/.exec(text) ?? []
  try {
    return { host: toHost(host), port: toWholeNumber(port, 1, 65_535) }
  } catch (error) {
    if (error instanceof InvalidSetting)
      throw new InvalidSetting('a port, or an address and a port, such as 8490, 0.0.0.0:8490 or [::]:8490')
    throw error
  }
}

/** `host:port`, or the absolute path of a socket. */
export function toClamdAddress(text: string): ClamdAddress {
  if (isAbsolute(text) && !text.includes('\0')) return { path: text }
  const [, bracketed, name, port = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  try {
    return { host: toHost(bracketed ?? name ?? ''), port: toWholeNumber(port, 1, 65_535) }
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error
    throw new InvalidSetting('a host and a port, such as clamav:3310, or the absolute path of a socket')
  }
}

export function toToken(text: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) throw new InvalidSetting('16 to 200 printable characters without blanks')
  return text
}

/** An absolute path. */
export function toFolder(text: string): string {
  if (text.includes('\0')) throw new InvalidSetting('a path')
  return isAbsolute(text) ? text : resolve(text)
}

/** URL without a trailing slash, as a prefix of paths. */
export function toBaseUrl(text: string): string {
  const wanted = 'an http or https address without user, query and fragment, such as https://data.example.com'
  const url = parseWebAddress(text)
  if (url === null) throw new InvalidSetting(wanted)
  if (url.username !== '' || url.password !== '' || /[?#\s]/.test(text)) throw new InvalidSetting(wanted)
  return url.href.replace(/\/+$/, '')
}

/** As `toBaseUrl`, and without a path. */
export function toOrigin(text: string): string {
  const url = toBaseUrl(text)
  if (url !== new URL(url).origin) throw new InvalidSetting('an http or https address without a path, such as https://connect.example.com')
  return url
}

export function isLoopback(baseUrl: string): boolean {
  const host = new URL(baseUrl).hostname
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

export function toDatabaseUrl(text: string): string {
  const wanted =
    'postgres://user:password@host:port/name, host:port once or several times with commas between, or postgres://user@/name?host=/folder for a socket'
  const isSocket = /^postgres(ql)?:\/\/[^:@/\s]+@\/[^/?\s]+\?host=[^\s]+$/.test(text)
  if (isSocket) return text
  for (const one of urlsOf(text)) {
    const url = URL.parse(one)
    if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) throw new InvalidSetting(wanted)
    if (url.hostname === '' || url.pathname.length < 2) throw new InvalidSetting(wanted)
  }
  return text
}

/** Every server that an address of the database names is this machine. */
function isOnThisMachine(databaseUrl: string): boolean {
  return isSocket(databaseUrl) || urlsOf(databaseUrl).every(isLoopback)
}

/** Whether data may not travel in clear: in production across a network, unless the operator has decided otherwise. */
export function mustEncrypt(environment: string, databaseUrl: string): boolean {
  return environment === 'production' && shouldEncrypt(databaseUrl)
}

/** Whether data crosses a network, and the operator has not decided that it may travel in clear (`sslmode=disable`). */
export function shouldEncrypt(databaseUrl: string): boolean {
  return !isOnThisMachine(databaseUrl) && !isUnencryptedOnPurpose(databaseUrl)
}

function isUnencryptedOnPurpose(databaseUrl: string): boolean {
  return URL.parse(urlsOf(databaseUrl)[0] ?? '')?.searchParams.get('sslmode') === 'disable'
}

export function toSmtpUrl(text: string): string {
  const wanted = 'smtp://user:password@host:port or smtps://…, the user and the port as needed; or smtp://host:port?tls=off'
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') throw new InvalidSetting(wanted)
  if (!['', '/'].includes(url.pathname) || /[#\s]/.test(text) || (url.username === '' && url.password !== ''))
    throw new InvalidSetting(wanted)
  const isInClear = url.search === '?tls=off' && url.protocol === 'smtp:' && url.username === ''
  if (text.includes('?') && !isInClear) throw new InvalidSetting(wanted)
  try {
    decodeURIComponent(`${url.username}${url.password}`)
  } catch {
    throw new InvalidSetting(wanted)
  }
  return text
}

/** Sender address, its domain in ASCII. */
export function toSender(text: string): string {
  const address = toMailAddress(text)
  if (address === null) throw new InvalidSetting('an e-mail address')
  return address
}

export function toEmail(text: string): string {
  if (text.length > 254 || !/^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text))
    throw new InvalidSetting('an e-mail address')
  return text
}

export function toInstanceName(text: string): string {
  const name = text.trim()
  if (name === '' || name.length > 200) throw new InvalidSetting('a name of at most 200 characters')
  return name
}

export function toPassword(text: string): string {
  const length = [...text].length
  if (length < 8 || length > 1_024) throw new InvalidSetting('8 to 1024 characters')
  return text
}

/** Bounds of an instance by quota, as `companies=1000 connections=5000`, over those that hold otherwise. */
export function toQuotas(text: string): Partial<Record<QuotaName, number>> {
  const bounds: Partial<Record<QuotaName, number>> = { ...DEFAULT_QUOTAS }
  for (const part of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, word = '', number = ''] = /^(\w+)=(\d{1,15})$/.exec(part) ?? []
    const name = QUOTA_NAMES.find((one) => one === word)
    if (name === undefined) throw new InvalidSetting(`a list such as companies=1000; the quotas are ${QUOTA_NAMES.join(', ')}`)
    bounds[name] = Number(number)
  }
  return bounds
}
