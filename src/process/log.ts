import pino, { type DestinationStream, type Level, type Logger } from 'pino'
import { scrub } from '../model/scrub.ts'
import { SecretRedactor } from '../model/secret-redactor.ts'
import type { DeploymentPause } from '../store/db/deployment-pause.ts'
import { logScopeFields } from '../tracing/log-scope.ts'
import { RepeatedFailures } from './repeated-failures.ts'

export type { Logger }

export interface LogOptions {
  level: Level | 'silent'
  /** Secrets in use, redacted everywhere. */
  secrets?: SecretRedactor
  /** Receives finished lines; default: standard output. */
  stream?: DestinationStream
  /** Monotonic clock. */
  elapsedMs?: () => number
}

/** Level of the last line of a process. */
const FATAL = pino.levels.values.fatal ?? 60
/** Maximum depth of logged causes. */
const MAX_DEPTH = 5

/**
 * JSON line logger with two safeguards against secrets: errors, requests and responses are logged by an allowlist of
 * fields, and every finished line passes the scrubber. Synchronous, so that a crash loses no line. Failures to reach a
 * server pass once a minute, all of them only at level debug.
 */
export function createLog({
  level,
  secrets = new SecretRedactor(),
  stream = pino.destination({ dest: 1, sync: true }),
  elapsedMs = () => performance.now(),
}: LogOptions): Logger {
  const repeated = new RepeatedFailures(elapsedMs)
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: logScopeFields,
      hooks: {
        logMethod(args, method, level) {
          const fields: unknown = args[0]
          const error = typeof fields === 'object' && fields !== null && 'err' in fields ? fields.err : null
          const isFiltered = level < FATAL && !this.isLevelEnabled('debug')
          const leftOut = error instanceof Error && isFiltered ? repeated.leftOutBefore(error) : 0
          if (leftOut === null) return
          if (leftOut > 0) args[0] = { ...(fields as object), leftOut }
          method.apply(this, args)
        },
      },
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

/** An error's own properties except its code are omitted: libraries attach whole requests to them. */
function toErrorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {}
  const cause = error.cause === undefined || depth === MAX_DEPTH ? {} : { cause: toErrorFields(error.cause, depth + 1) }
  const errors =
    error instanceof AggregateError && depth < MAX_DEPTH ? { errors: error.errors.map((one) => toErrorFields(one, depth + 1)) } : {}
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause, ...errors }
}

/**
 * Path without the query, which contains the connect link's token, and without the secret part of a webhook's or
 * receiver's URL.
 */
function toRequestFields(request: { id?: unknown; method?: string; url?: string }): unknown {
  return { id: request.id, method: request.method, path: request.url?.split('?')[0]?.replace(/^(\/(?:hooks\/[^/]+|receiver)\/).+/, '$1…') }
}

function toResponseFields(response: { statusCode?: number }): unknown {
  return { statusCode: response.statusCode }
}

/** Logs each begin and end of the deployment's pause. */
export function pauseReporter(log: Logger): (pause: DeploymentPause | null) => void {
  const paused = 'the deployment is paused: it syncs and sends nothing until `countinghouse resume`'
  return (pause) => {
    if (pause === null) log.info('the deployment is no longer paused')
    else log.warn({ reason: pause.reason, since: pause.pausedAt }, paused)
  }
}
