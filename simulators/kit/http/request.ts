import type { IncomingMessage, ServerResponse } from 'node:http'

/** One answered request, without credentials. `status` 0: dropped, or still held. */
export interface LoggedRequest {
  method: string
  path: string
  query: string
  status: number
}

const LOG_LENGTH = 10_000
const BODY_BYTES = 1024 * 1024

/** The newest 10,000 requests, oldest first. */
export class RequestLog<Entry extends { status: number } = LoggedRequest> {
  readonly entries: Entry[] = []

  /** Adds an entry and returns it; its status is set when the response is sent. */
  note(entry: Entry, response: ServerResponse): Entry {
    this.entries.push(entry)
    if (this.entries.length > LOG_LENGTH) this.entries.shift()
    response.on('finish', () => {
      entry.status = response.statusCode
    })
    return entry
  }
}

/** Strips the path that the simulator may be mounted under. */
export function withoutPrefix(path: string, baseUrl: string): string {
  const prefix = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  return prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** Throws a `RangeError` if the body exceeds `maxBytes`, which defaults to 1 MiB. */
export async function readBody(request: IncomingMessage, maxBytes = BODY_BYTES): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > maxBytes) throw new RangeError('the request body is too large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString()
}

export function bearerToken(request: IncomingMessage): string {
  return /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

export function withQuery(address: string, parameters: Record<string, string>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.toString()
}
