import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import { scrub } from '../model/scrub.ts'
import { SecretRedactor } from '../model/secret-redactor.ts'

export type { Logger }

export interface LogOptions {
  level: Level | 'silent'
  /** Secrets in use, hidden whatever stands around them. */
  secrets?: SecretRedactor
  /** Takes finished lines; standard output when left out. */
  stream?: DestinationStream
}

/** Causes deeper than this are left out. */
const MAX_DEPTH = 5

/**
 * A log of JSON lines with two nets against secrets: errors, requests and responses are written by a list of allowed fields, and
 * every finished line goes through the scrubber. Written at once, so that a crash loses no line.
 */
export function createLog({
  level,
  secrets = new SecretRedactor(),
  stream = pino.destination({ dest: 1, sync: true }),
}: LogOptions): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: toErrorFields,
        error: toErrorFields,
        cause: toErrorFields,
        reason: toErrorFields,
        req: toRequestFields,
        res: toResponseFields,
      },
    },
    { write: (line) => stream.write(scrub(secrets.redact(line))) },
  )
}

/** An error's own properties stay out but for its code: libraries hang whole requests on them. */
function toErrorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {}
  const cause = error.cause === undefined || depth === MAX_DEPTH ? {} : { cause: toErrorFields(error.cause, depth + 1) }
  const errors =
    error instanceof AggregateError && depth < MAX_DEPTH ? { errors: error.errors.map((one) => toErrorFields(one, depth + 1)) } : {}
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause, ...errors }
}

/** The path without its query, where the connect link carries its token, and without the secret part of a webhook's or a receiver's address. */
function toRequestFields(request: { id?: unknown; method?: string; url?: string }): unknown {
  return { id: request.id, method: request.method, path: request.url?.split('?')[0]?.replace(/^(\/(?:hooks\/[^/]+|receiver)\/).+/, '$1…') }
}

function toResponseFields(response: { statusCode?: number }): unknown {
  return { statusCode: response.statusCode }
}
