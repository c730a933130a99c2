import type { Reply } from '../../kit/http/response.ts'

export function jsonReply(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return { status, type: 'application/json', body: JSON.stringify(body), headers }
}

/** An error of the account routes. Source: https://github.com/freshbooks/freshbooks-nodejs-sdk */
export function accountError(status: number, error: { errno: number; field: string; message: string; object: string }): Reply {
  return jsonReply(status, { response: { errors: [{ ...error, value: null }] } })
}

/** An error of the business routes. Source: https://github.com/amcintosh/freshbooks-python-sdk */
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
