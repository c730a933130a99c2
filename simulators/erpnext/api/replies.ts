import { type Reply, sendWith } from '../../kit/http/response.ts'

/** Error reply; its messages are JSON within a JSON string within the JSON body. */
export function refusal(status: number, excType: string, message: string): Reply {
  const exception = `frappe.exceptions.${excType}: ${message}`
  return jsonReply(status, {
    exception,
    exc_type: excType,
    exc: JSON.stringify([
      `Traceback (most recent call last):\n  File "apps/frappe/frappe/app.py", line 114, in application\n${exception}\n`,
    ]),
    _server_messages: JSON.stringify([JSON.stringify({ message, title: 'Message', indicator: 'red', raise_exception: 1 })]),
  })
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body) }
}

export function htmlReply(status: number, title: string): Reply {
  const body = `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
  return { status, type: 'text/html; charset=utf-8', body }
}

export const send = sendWith(({ type }) => ({ 'content-type': type, server: 'nginx' }))
