import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Reply, sendWith } from '../../kit/http/response.ts'
import { toXml } from './xml.ts'

/** Without `Accept: application/json`, QuickBooks answers in XML. */
function wantsJson(request: IncomingMessage): boolean {
  return (request.headers.accept ?? '').includes('application/json')
}

export function dataReply(request: IncomingMessage, body: object): Reply {
  return wantsJson(request) ? jsonReply(200, body) : xmlReply(200, body)
}

export function jsonReply(status: number, body: object): Reply {
  return { status, type: 'application/json;charset=UTF-8', body: JSON.stringify(body) }
}

function xmlReply(status: number, body: object): Reply {
  return { status, type: 'application/xml;charset=UTF-8', body: toXml(body) }
}

/** An error of the accounting service itself: `Fault` in upper camel case. */
export function faultReply(
  request: IncomingMessage,
  now: Date,
  status: number,
  error: { Message: string; Detail: string; code: string; element?: string },
): Reply {
  const body = { Fault: { Error: [error], type: 'ValidationFault' }, time: now.toISOString() }
  return wantsJson(request) ? jsonReply(status, body) : xmlReply(status, body)
}

/**
 * An error of the gateway in front of it: the entire envelope in lower case.
 * Source: https://github.com/routablehq/python-quickbooks/issues/250
 */
export function gatewayReply(
  request: IncomingMessage,
  now: Date,
  status: number,
  fault: { word: string; code: string; detail: string | null; type: string },
): Reply {
  const message = `message=${fault.word}; errorCode=${fault.code.padStart(6, '0')}; statusCode=${status}`
  if (!wantsJson(request)) {
    const error = { Message: message, ...(fault.detail === null ? {} : { Detail: fault.detail }), code: fault.code }
    return xmlReply(status, { Fault: { Error: [error], type: fault.type }, time: now.toISOString() })
  }
  return jsonReply(status, {
    warnings: null,
    intuitObject: null,
    fault: { error: [{ message, detail: fault.detail, code: fault.code, element: null }], type: fault.type },
    report: null,
    queryResponse: null,
    batchItemResponse: [],
    attachableResponse: [],
    syncErrorResponse: null,
    requestId: null,
    time: now.getTime(),
    status: null,
    cdcresponse: [],
  })
}

/** Sends a complete reply, with the trace id that Intuit adds to everything. */
export const send = sendWith(() => ({
  'cache-control': 'no-cache, no-store',
  intuit_tid: `1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}`,
}))
