/** Failed request: the API's problem document, or a network error. */
export class Problem extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** There was no response, or one of a proxy in front of the service. */
  readonly isUnreachable: boolean
  readonly requestId: string | null
  /** Code of a refusal that the portal acts on. */
  readonly reason: string | null
  readonly fields: readonly { field: string; message: string }[]

  constructor(
    status: number,
    message: string,
    extras: { requestId?: string | null; reason?: string | null; fields?: Problem['fields'] } = {},
  ) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.isUnreachable = [0, 502, 503, 504].includes(status)
    this.requestId = extras.requestId ?? null
    this.reason = extras.reason ?? null
    this.fields = extras.fields ?? []
  }
}

export async function toProblem(response: Response): Promise<Problem> {
  const requestId = response.headers.get('x-request-id')
  const body: unknown = await response.json().catch(() => null)
  if (!isRecord(body)) return new Problem(response.status, response.statusText, { requestId })
  const fields = Array.isArray(body.errors) ? body.errors.filter(isField) : []
  return new Problem(response.status, String(body.Message ?? response.statusText), {
    requestId: typeof body.requestId === 'string' ? body.requestId : requestId,
    reason: typeof body.reason === 'string' ? body.reason : null,
    fields,
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isField(value: unknown): value is { field: string; message: string } {
  return isRecord(value) && typeof value.field === 'string' && typeof value.message === 'string'
}
