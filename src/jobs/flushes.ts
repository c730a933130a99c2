import type { FastifyInstance } from 'fastify'
import { repeat } from './repeat.ts'

/**
 * Calls `flush` at its interval for as long as `app` lives, together with other periodic work of the process, and a last
 * time when it closes. A failure is logged as a warning with `failure`.
 */
export function flushWhileOpen(
  app: Pick<FastifyInstance, 'addHook' | 'log'>,
  everyMs: number,
  flush: () => Promise<void>,
  failure: string,
): void {
  let flushing: Promise<void> | null = null
  const flushOnce = async (): Promise<void> => {
    flushing ??= flush()
      .catch((error: unknown) => app.log.warn({ err: error }, failure))
      .finally(() => {
        flushing = null
      })
    await flushing
  }
  const timer = repeat({ everyMs, restMs: everyMs, isBackground: true }, () => void flushOnce())
  app.addHook('onClose', async () => {
    timer.stop()
    await flushing
    await flushOnce()
  })
}
