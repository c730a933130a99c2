import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** One reply of a simulator, before it is sent. */
export interface Reply {
  status: number
  type: string
  body: string
  headers?: Record<string, string>
  /** Number of spaces streamed before the body, without Content-Length. */
  paddingBytes?: number
}

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body), headers }
}

export function htmlReply(status: number, body: string): Reply {
  return { status, type: 'text/html; charset=utf-8', body }
}

export function textReply(status: number, body: string, headers: Record<string, string> = {}): Reply {
  return { status, type: 'text/plain; charset=utf-8', body, headers }
}

/** HTML page that may load nothing and may not be framed. */
export function pageReply(status: number, body: string): Reply {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
  return { ...htmlReply(status, body), headers: { 'content-security-policy': policy } }
}

/**
 * Page of an aggregator's widget: like `pageReply`, never stored, and without `<base>`. `isFramed`: it may be framed.
 */
export function windowReply(status: number, body: string, isFramed = false): Reply {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'${isFramed ? '' : "; frame-ancestors 'none'"}`
  return { ...htmlReply(status, body), headers: { 'content-security-policy': policy, 'cache-control': 'no-store' } }
}

/** Page that is framed by another site's page and posts messages to it. */
export function frameReply(status: number, body: string): Reply {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"
  return { ...htmlReply(status, body), headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' } }
}

/** 303 after a form was posted. */
export function seeOtherReply(location: string): Reply {
  return { status: 303, type: 'text/plain', body: '', headers: { location, 'cache-control': 'no-store' } }
}

export function redirectReply(location: string): Reply {
  return { status: 302, type: '', body: '', headers: { location } }
}

/** The same reply where the simulator is mounted under a path: its forms and redirects lead below it. */
export function mountedReply(reply: Reply, baseUrl: string): Reply {
  const prefix = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
  if (prefix === '') return reply
  const { location } = reply.headers ?? {}
  return {
    ...reply,
    body: reply.type.startsWith('text/html') ? reply.body.replaceAll(' action="/', ` action="${prefix}/`) : reply.body,
    ...(location?.startsWith('/') ? { headers: { ...reply.headers, location: `${prefix}${location}` } } : {}),
  }
}

/** The same reply truncated to three fifths of its length. */
export function cutReply(reply: Reply): Reply {
  return { ...reply, body: reply.body.slice(0, Math.floor(reply.body.length * 0.6)) }
}

/** The same reply followed by `bytes` spaces, which JSON ignores. */
export function paddedReply(reply: Reply, bytes: number): Reply {
  return { ...reply, body: reply.body + ' '.repeat(bytes) }
}

/** Drops the connection instead of replying. */
export const DROPPED: Reply = { status: 0, type: '', body: '' }

/** Reply without a body or content type. */
export function emptyReply(status: number, headers: Record<string, string> = {}): Reply {
  return { status, type: '', body: '', headers }
}

export type Sender = (response: ServerResponse, reply: Reply) => void

/** Sends a complete reply, with the source's own headers before those of the reply. */
export function sendWith(headers: (reply: Reply) => Record<string, string>): Sender {
  return (response, reply) => {
    if (reply.status === 0) return void response.socket?.destroy()
    const bytes = Buffer.from(reply.body)
    const hasLength = reply.status !== 204 && reply.paddingBytes === undefined
    response.writeHead(reply.status, {
      ...(bytes.length > 0 ? { 'content-type': reply.type } : {}),
      ...(hasLength ? { 'content-length': bytes.length } : {}),
      ...headers(reply),
      ...reply.headers,
    })
    if (reply.paddingBytes === undefined) response.end(bytes)
    else pad(response, reply.paddingBytes, bytes)
  }
}

export const send = sendWith(() => ({ 'cache-control': 'no-cache, no-store', 'x-request-id': randomBytes(16).toString('hex') }))

/** Writes as fast as the caller reads; stops if it disconnects. */
function pad(response: ServerResponse, paddingBytes: number, body: Buffer): void {
  const chunk = Buffer.alloc(65_536, 0x20)
  let left = Math.ceil(paddingBytes / chunk.length)
  const more = (): void => {
    while (left-- > 0) {
      if (response.destroyed) return
      if (!response.write(chunk)) return void response.once('drain', more)
    }
    response.end(body)
  }
  more()
}
