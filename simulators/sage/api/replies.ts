import { randomUUID } from 'node:crypto'
import { type Reply, sendWith } from '../../kit/http/response.ts'

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body), headers }
}

/** An error of the API. Source: https://developer.sage.com/accounting/guides/concepts/frequently_raised_errors/ */
export function apiError(status: number, dataCode: string, message: string, source = ''): Reply {
  return jsonReply(status, [{ $severity: 'error', $dataCode: dataCode, $message: message, $source: source }])
}

/** An error of the gateway in front of the API. */
export function gatewayError(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return jsonReply(status, { message }, headers)
}

/** Sends a complete reply. */
export const send = sendWith(() => ({ 'cache-control': 'no-store', 'x-request-id': randomUUID() }))
