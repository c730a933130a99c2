/** Kit: a guarded HTTP client, the only way out, and the operator's settings for this source. */
export interface Kit {
  /**
   * Responses of any status are returned; failures (refused, reset, timeout, too large) throw
   * `SourceError('unavailable')`.
   */
  http(request: HttpRequest): Promise<HttpResponse>
  /** Operator's keys for this source, named as in `appKeys`. */
  app: Readonly<Record<string, string>>
  /** URLs of the source, named as in `hosts`; no trailing slash. */
  hosts: Readonly<Record<string, string>>
  now(): Date
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Deadline of the whole request; default 30 s. */
  timeoutMs?: number
  /** Maximum body size; default 10 MiB. */
  maxBytes?: number
  /** TLS client certificate and its key in PEM, for servers that request one. */
  identity?: { certificate: string; privateKey: string }
}

export interface HttpResponse {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  body: Uint8Array
}

/**
 * Why an owner has to authorize again, where it is more than a revoked access: the consent has expired, the bank
 * requires a code or an answer, user name or password changed, or the source is not the entity that was connected.
 */
export type ReconnectReason = 'consentExpired' | 'codeNeeded' | 'loginChanged' | 'otherEntity'

/**
 * Failure at the source. The kind decides what happens next: `reconnect` asks the owner, `rateLimited` waits,
 * `unavailable` retries, `badData` retries and then stops. Messages contain codes and counts, never tokens, numbers or
 * names.
 */
export class SourceError extends Error {
  readonly kind: 'reconnect' | 'rateLimited' | 'unavailable' | 'badData'
  /** With `rateLimited`: minimum wait. */
  readonly retryAfterMs: number | null
  /** The source rejected the operator's keys: no connection is at fault, and any other would get the same response. */
  readonly isClientRefused: boolean
  /** With `reconnect`: why the owner has to act, if the source reports it. */
  readonly reason: ReconnectReason | null

  constructor(
    kind: SourceError['kind'],
    message: string,
    options: { retryAfterMs?: number; isClientRefused?: boolean; reason?: ReconnectReason | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SourceError'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isClientRefused = options.isClientRefused ?? false
    this.reason = options.reason ?? null
  }
}
