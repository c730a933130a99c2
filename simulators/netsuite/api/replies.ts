import { randomUUID } from 'node:crypto'
import { type Reply, sendWith } from '../../kit/http/response.ts'

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/vnd.oracle.resource+json; type=collection', body: JSON.stringify(body), headers }
}

/** Source: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156570709583.html */
export function errorReply(status: number, code: string, detail: string, headers: Record<string, string> = {}): Reply {
  const title = TITLES[status] ?? 'Error'
  const type = `https://www.rfc-editor.org/rfc/rfc9110.html#name-${status}-${title.toLowerCase().replaceAll(' ', '-')}`
  const body = { type, title, status, 'o:errorDetails': [{ detail, 'o:errorCode': code }] }
  return { ...jsonReply(status, body, headers), type: 'application/vnd.oracle.resource+json; type=error; charset=UTF-8' }
}

/** Sends a complete reply, with the operation id of NetSuite's logs. */
export const send = sendWith(() => ({ 'cache-control': 'no-store', 'x-n-operationid': randomUUID() }))
