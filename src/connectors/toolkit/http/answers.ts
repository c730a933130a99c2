import { type Json, parseJson } from '../../../model/values/json.ts'
import { type Answers, type HttpResponse, SourceError } from '../../contract/contract.ts'

/** Text of a stored answer; a missing one is our own fault and throws. */
function answerText(answers: Answers, name: string): string {
  const body = answers[name]
  if (!body) throw new SourceError('badData', `the page lacks its answer "${name}"`)
  return new TextDecoder('utf-8', { fatal: false }).decode(body)
}

/** Stored answer as JSON; anything else (truncated, HTML, empty) throws `badData`. */
export function answerJson(answers: Answers, name: string): Json {
  return readJson(answerText(answers, name), name)
}

/** Response body as JSON; anything else throws `badData`. */
export function responseJson(response: HttpResponse, what: string): Json {
  return readJson(new TextDecoder().decode(response.body), what)
}

function readJson(text: string, what: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // Without the cause: it quotes the text, which may contain a token.
    const shown = text.trimStart().startsWith('<') ? 'a page of HTML or XML' : `${text.length} characters that are no JSON`
    throw new SourceError('badData', `${what}: the source answered ${shown}`)
  }
}

/**
 * `Retry-After` (seconds or a date) as milliseconds from `now`; the fallback when absent or invalid. A date is relative
 * to the response's own `Date`, since the source's clock and ours may differ.
 */
export function retryAfterMs(headers: Record<string, string>, now: Date, fallbackMs: number): number {
  const value = headers['retry-after']
  if (value === undefined) return fallbackMs
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  if (Number.isNaN(at)) return fallbackMs
  const answeredAt = Date.parse(headers.date ?? '')
  return Math.max(0, at - (Number.isNaN(answeredAt) ? now.getTime() : answeredAt))
}

export function isJsonObject(value: unknown): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Property of an object; undefined for anything else. */
export function property(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** JSON that is stored beside the answers of a page. */
export function jsonBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
