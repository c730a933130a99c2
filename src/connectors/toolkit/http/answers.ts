import { flatMapInSlices } from '../../../model/steps/slices.ts'
import { type Json, parseJson, parseJsonOrNull } from '../../../model/values/json.ts'
import { type Answers, type HttpResponse, SourceError } from '../../contract/contract.ts'
import { parseJsonInSlices } from './json-in-slices.ts'

/** Larger bodies are parsed in slices. One of this size takes 2 ms, and 12 ms with numbers of many digits. */
const MOST_AT_ONCE_BYTES = 256 * 1024
/** Errors and greetings of servers are shorter. */
const MOST_SHORT_BYTES = 64 * 1024

/**
 * Stored answer as JSON; anything else (truncated, HTML, empty) throws `badData`. A missing one is our own fault and
 * throws, too. NOTE parses the whole answer in one step: for the `read` of a pull only, which has a thread for large
 * pages.
 */
export function answerJson(answers: Answers, name: string): Json {
  const body = answers[name]
  if (!body) throw new SourceError('badData', `the page lacks its answer "${name}"`)
  try {
    return parseJson(new TextDecoder().decode(body))
  } catch (error) {
    throw toBadData(error, body, name)
  }
}

/** Response body as JSON, however large, without holding the event loop; anything else throws `badData`. */
export async function responseJson({ body }: HttpResponse, what: string): Promise<Json> {
  try {
    return body.length > MOST_AT_ONCE_BYTES ? await parseJsonInSlices(body) : parseJson(new TextDecoder().decode(body))
  } catch (error) {
    throw toBadData(error, body, what)
  }
}

/** Beginning of a body that is expected to be short, such as an error. */
export function peekText({ body }: Pick<HttpResponse, 'body'>): string {
  return new TextDecoder().decode(body.subarray(0, MOST_SHORT_BYTES))
}

/** JSON of a body that is expected to be short, or null when it is not JSON, or longer. */
export function peekJson(response: HttpResponse): Json {
  return parseJsonOrNull(peekText(response))
}

/** Without the cause: it may quote the body, which may contain a token. */
function toBadData(error: unknown, body: Uint8Array, what: string): unknown {
  if (!(error instanceof SyntaxError)) return error
  const isMarkup = peekText({ body }).trimStart().startsWith('<')
  const shown = isMarkup ? 'a page of HTML or XML' : `${body.length} bytes that are no JSON`
  return new SourceError('badData', `${what}: the source answered ${shown}`)
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

/** Items of a list whose items are all objects; anything else throws `badData` with the message. */
export function objectsOf(value: Json | undefined, message: string): { [key: string]: Json }[] {
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new SourceError('badData', message)
  return value
}

/** The same, looked at in slices. */
export async function objectsInSlices(value: Json | undefined, message: string): Promise<{ [key: string]: Json }[]> {
  const objects = await flatMapInSlices(Array.isArray(value) ? value : [], (item) => (isJsonObject(item) ? [item] : []))
  if (!Array.isArray(value) || objects.length !== value.length) throw new SourceError('badData', message)
  return objects
}

/** Property of an object; undefined for anything else. */
export function property(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** JSON that is stored beside the answers of a page. */
export function jsonBytes(value: Json): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
