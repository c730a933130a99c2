import { inspect } from 'node:util'
import { appKeyTextOf } from '../../src/connectors/contract/app-key-texts.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { FetchedPage } from './run.ts'
import type { Opened } from './subject.ts'
import type { ConformanceSubject } from './subjects.ts'

/**
 * Texts that no error may contain: the parts of the credentials, the operator's keys that its form hides, and the
 * `Authorization` headers. A key that is shown in clear may be a plain word, such as "sandbox", which paths contain too.
 */
export function secretsOf(
  { subject, description }: Pick<ConformanceSubject, 'subject' | 'description'>,
  { session }: Opened,
  pages: readonly FetchedPage[] = [],
): string[] {
  const keys = Object.entries(session.kit.app).flatMap(([name, value]) => (appKeyTextOf(description, name).isPublic ? [] : [value]))
  const sent = pages.flatMap(({ exchanges }) =>
    exchanges.flatMap(({ request }) =>
      Object.entries(request.headers ?? {}).flatMap(([name, value]) => (/^authorization$/i.test(name) ? [value] : [])),
    ),
  )
  const tokens = sent.map((value) => value.slice(value.indexOf(' ') + 1))
  const texts = [...textsIn(session.credentials.secret, subject.publicParts), ...keys, ...tokens]
  return [...new Set(texts)].filter((text) => text.length >= 6)
}

/** The secrets that an error contains at any depth, as a log would print it. */
export function leaks(error: Error, secrets: readonly string[]): string[] {
  const shown = `${inspect(error, { depth: 12, maxStringLength: null })}\n${error.stack ?? ''}`
  return secrets.filter((secret) => shown.includes(secret) || shown.includes(encodeURIComponent(secret)))
}

function textsIn(secret: Json, publicParts: readonly string[]): string[] {
  if (typeof secret === 'string') return [secret]
  if (typeof secret !== 'object' || secret === null) return []
  return Object.entries(secret).flatMap(([name, part]) => (publicParts.includes(name) ? [] : textsIn(part, publicParts)))
}
