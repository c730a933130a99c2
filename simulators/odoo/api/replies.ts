import { htmlReply, type Reply, sendWith } from '../../kit/http/response.ts'
import type { OdooException } from './exceptions.ts'

export const HTML_DOWN = '<!doctype html><html><head><title>Odoo</title></head><body><h1>Service Unavailable</h1></body></html>'

const TRACEBACK = 'Traceback (most recent call last):\n  File "/opt/odoo/odoo/http.py", line 1963, in _serve_db\n'

export function jsonReply(status: number, body: unknown): Reply {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}

/** Page of the website. */
export function notFoundReply(): Reply {
  return htmlReply(
    404,
    '<!doctype html><title>404 Not Found</title><h1>Not Found</h1><p>The requested URL was not found on the server.</p>',
  )
}

/** A result or an error of JSON-RPC, both with status 200. */
export function rpcReply(id: unknown, outcome: { result: unknown } | { error: OdooException }): Reply {
  if ('result' in outcome) return jsonReply(200, { jsonrpc: '2.0', id, result: outcome.result })
  const { error } = outcome
  const isExpired = error.pythonName.endsWith('SessionExpiredException')
  return jsonReply(200, {
    jsonrpc: '2.0',
    id,
    error: {
      code: isExpired ? 100 : 200,
      message: isExpired ? 'Odoo Session Expired' : 'Odoo Server Error',
      data: { name: error.pythonName, debug: TRACEBACK, message: error.message, arguments: [error.message], context: {} },
    },
  })
}

/** An error of JSON-2: the exception itself, with its own status. */
export function json2Reply(error: OdooException): Reply {
  return jsonReply(error.status, {
    name: error.pythonName,
    message: error.message,
    arguments: [error.message],
    context: {},
    debug: TRACEBACK,
  })
}

export const send = sendWith(({ type }) => ({ 'content-type': type, server: 'Werkzeug/3.0.1 Python/3.12.3' }))
