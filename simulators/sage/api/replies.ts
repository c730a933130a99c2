import { randomUUID } from 'node:crypto'
import { type Reply, sendWith } from '../../kit/http/response.ts'

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body), headers }
}

/** A failure that the API reports. Source: https://developer.sage.com/accounting/guides/concepts/frequently_raised_errors/ */
export function apiError(status: number, dataCode: string, message: string, source = ''): Reply {
  return jsonReply(status, [{ $severity: 'error', $dataCode: dataCode, $message: message, $source: source }])
}

/** A failure that the gateway before the API reports. */
export function gatewayError(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return jsonReply(status, { message }, headers)
}

/** Sends a reply whole. */
export const send = sendWith(() => ({ 'cache-control': 'no-store', 'x-request-id': randomUUID() }))
