/** How soon an orphan notices. */
const LOOK_EVERY_MS = 1_000

/**
 * Calls `onGone` once the process that started this one has ended, however it did: npm that is killed outright passes no signal on, and what it
 * started would hold data directory and port. Only for what npm has started; a service that was sent to the background on purpose goes on.
 * Windows keeps naming a parent that has gone.
 */
export function watchParent(env: Readonly<Record<string, string | undefined>>, onGone: () => void): void {
  if (env.npm_lifecycle_event !== 'start' || process.platform === 'win32') return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, LOOK_EVERY_MS)
  timer.unref()
}
