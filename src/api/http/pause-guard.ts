import type { FastifyRequest } from 'fastify'
import type { PauseState } from '../../jobs/pause-watch.ts'
import { type ApiError, unavailable } from '../errors/errors.ts'

const RETRY_AFTER_SECONDS = 60
/** Pages that owners see answer for themselves. */
const OWNER_PAGES = '/connect'

/** Whether a request may change something. */
export function isChange({ method, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config?.isChange === true || (method !== 'GET' && method !== 'HEAD')
}

/**
 * Pause guard: refuses every change while the deployment is paused, because changes call sources or queue work that does
 * not begin. Reads and what a session needs (`isPauseProof`) are answered.
 */
export function pauseGuard(
  pause: PauseState | undefined,
): (request: FastifyRequest, reply: unknown, done: (error?: ApiError) => void) => void {
  return (request, _reply, done) => {
    if (!pause || !isChange(request) || request.routeOptions.config?.isPauseProof === true) return done()
    if (request.url.startsWith(OWNER_PAGES)) return done()
    void pause.find().then((found) => done(found === null ? undefined : unavailable(RETRY_AFTER_SECONDS, undefined, PAUSED[found.reason])))
  }
}

const PAUSED = {
  restored: 'This deployment is a restored copy and is paused: it answers reads only. `countinghouse resume` ends the pause.',
  requested: 'This deployment is paused: it answers reads only. `countinghouse resume` ends the pause.',
} as const
