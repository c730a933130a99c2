import { inspect } from 'node:util'
import type { Json } from '../../src/model/values/json.ts'
import type { FetchedPage } from './run.ts'
import type { Opened, Subject } from './subject.ts'

/**
 * Texts that no error may contain: the parts of the credentials, the operator's keys, and the `Authorization` headers.
 */
export function secretsOf(subject: Subject, { session }: Opened, pages: readonly FetchedPage[] = []): string[] {
  const { clientId: _public, journals: _setting, ...keys } = session.kit.app
  const sent = pages.flatMap(({ exchanges }) =>
    exchanges.flatMap(({ request }) =>
      Object.entries(request.headers ?? {}).flatMap(([name, value]) => (/^authorization$/i.test(name) ? [value] : [])),
    ),
  )
  const tokens = sent.map((value) => value.slice(value.indexOf(' ') + 1))
  const texts = [...textsIn(session.credentials.secret, subject.publicParts), ...Object.values(keys), ...tokens]
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
