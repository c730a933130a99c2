import { randomUUID } from 'node:crypto'
import { type Reply, sendWith } from '../../kit/http/response.ts'

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json; odata.metadata=minimal', body: JSON.stringify(body), headers }
}

/** Every error message of the API ends with the request id. */
export function errorReply(status: number, code: string, message: string, headers: Record<string, string> = {}): Reply {
  return jsonReply(status, { error: { code, message: `${message}  CorrelationId:  ${randomUUID()}.` } }, headers)
}

/**
 * An error of Entra's token endpoint.
 * Source: https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow#error-response-1
 */
export function entraError(status: number, error: string, code: number, text: string, now: Date): Reply {
  const [traceId, correlationId] = [randomUUID(), randomUUID()]
  const timestamp = `${now.toISOString().slice(0, 19).replace('T', ' ')}Z`
  const description = `AADSTS${code}: ${text} Trace ID: ${traceId} Correlation ID: ${correlationId} Timestamp: ${timestamp}`
  const body = { error, error_description: description, error_codes: [code], timestamp, trace_id: traceId, correlation_id: correlationId }
  return jsonReply(status, body)
}

/** Sends a complete reply. */
export const send = sendWith(() => ({ 'cache-control': 'no-store', 'request-id': randomUUID() }))
