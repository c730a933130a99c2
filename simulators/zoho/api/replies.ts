import { jsonReply, type Reply } from '../../kit/http/response.ts'

/** Success is code 0, placed before everything else. */
export function dataReply(body: object): Reply {
  return jsonReply(200, { code: 0, message: 'success', ...body })
}

/** Every error has a Zoho Books code and a message. */
export function errorReply(status: number, code: number, message: string): Reply {
  return jsonReply(status, { code, message })
}

export const REFUSED = errorReply(401, 57, 'You are not authorized to perform this operation')
export const NOT_A_TOKEN = errorReply(401, 14, 'Invalid value passed for authtoken.')

/** Limits have no `Retry-After`. */
export function limitReply(kind: 'minute' | 'day' | 'concurrent', status = 429): Reply {
  if (kind === 'minute')
    return errorReply(
      status,
      44,
      'For security reasons you have been blocked for some time as you have exceeded the maximum number of requests per minute',
    )
  if (kind === 'day') return errorReply(status, 45, 'You have crossed the maximum number of API calls of the day')
  return errorReply(status, 1070, 'The concurrent request limit was exceeded')
}
