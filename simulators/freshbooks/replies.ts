import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Reply } from '../kit/http/response.ts'

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body), headers }
}

export function htmlReply(status: number, body: string): Reply {
  return { status, type: 'text/html; charset=utf-8', body }
}

/** A failure of the account routes. Source: https://github.com/freshbooks/freshbooks-nodejs-sdk */
export function accountError(status: number, error: { errno: number; field: string; message: string; object: string }): Reply {
  return jsonReply(status, { response: { errors: [{ ...error, value: null }] } })
}

/** A failure of the business routes. Source: https://github.com/amcintosh/freshbooks-python-sdk */
export function businessError(
  status: number,
  details: { message: string; field: string }[] = [],
  headers: Record<string, string> = {},
): Reply {
  const reasons = details.map((metadata) => ({ reason: `${metadata.field}: ${metadata.message}`, metadata }))
  return jsonReply(status, { errors: { message: `Request failed with status code ${status}`, status, details: reasons } }, headers)
}

export function unauthenticated(): Reply {
  return jsonReply(401, {
    error: 'unauthenticated',
    error_description: 'This action requires authentication to continue.',
  })
}

/** Sends a reply whole. */
export function send(response: ServerResponse, reply: Reply, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(reply.body)
  response.writeHead(reply.status, {
    ...(bytes.length > 0 ? { 'content-type': reply.type } : {}),
    'content-length': bytes.length,
    'cache-control': 'no-cache, no-store',
    'x-request-id': randomBytes(16).toString('hex'),
    ...reply.headers,
    ...headers,
  })
  response.end(bytes)
}
