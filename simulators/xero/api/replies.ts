import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'

/** A reply of the accounting API in its envelope. Without `Accept: application/json`, Xero answers in XML. */
export function dataReply(request: IncomingMessage, now: Date, body: object): Reply {
  const envelope = { Id: randomUUID(), Status: 'OK', ProviderName: 'Simulator', DateTimeUTC: `/Date(${now.getTime()})/`, ...body }
  if ((request.headers.accept ?? '').includes('application/json')) return jsonReply(200, envelope)
  return { status: 200, type: 'text/xml; charset=utf-8', body: `<Response>${toXml(envelope)}</Response>` }
}

/** A reply of the gateway. Source: https://github.com/freakboy3742/pyxero/pull/337 */
export function problemReply(status: number, detail: string, headers: Record<string, string> = {}): Reply {
  const titles: Readonly<Record<number, string>> = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 503: 'ServiceUnavailable' }
  const body = { Type: null, Title: titles[status] ?? 'Error', Status: status, Detail: detail, Instance: randomUUID(), Extensions: {} }
  return jsonReply(status, body, headers)
}

export function validationReply(message: string): Reply {
  const Elements = [{ ValidationErrors: [{ Message: message }] }]
  return jsonReply(400, { ErrorNumber: 10, Type: 'ValidationException', Message: 'A validation exception occurred', Elements })
}

function toXml(value: unknown, name = 'Item'): string {
  if (Array.isArray(value)) return value.map((each) => `<${name}>${toXml(each)}</${name}>`).join('')
  if (typeof value !== 'object' || value === null) return escapeXml(String(value ?? ''))
  return Object.entries(value)
    .map(([key, each]) => `<${key}>${toXml(each, key.replace(/s$/, ''))}</${key}>`)
    .join('')
}
