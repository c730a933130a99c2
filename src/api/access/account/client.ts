import type { FastifyRequest } from 'fastify'
import { toNetwork } from '../../../model/values/network.ts'
import type { Locale } from '../../../model/values/text.ts'

/** Stored origin of a login or a refresh. */
export interface Client {
  /** From `toNetwork`. */
  network: string
  /** Class of the program, such as `Firefox, Linux`; empty for one that is no known browser. */
  agent: string
  /** Language that the program asks for; null: it does not say. */
  language: Locale | null
}

/** The first that fits counts: browsers name the ones that they descend from, too. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Client {
  return { network: toNetwork(ip), agent: toAgent(headers['user-agent'] ?? ''), language: toLanguage(headers['accept-language']) }
}

/** Browser and system without versions, so that little is kept and an update makes no other program of it. */
export function toAgent(userAgent: string): string {
  const nameIn = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = nameIn(BROWSERS)
  return browser === undefined ? '' : [browser, nameIn(SYSTEMS)].filter(Boolean).join(', ')
}

function toLanguage(header: string | undefined): Locale | null {
  if (header === undefined || header.trim() === '' || header.trim() === '*') return null
  return /^\s*fr\b/i.test(header) ? 'fr-CA' : 'en'
}
