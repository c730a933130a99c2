/** Delay until an orphan notices. */
const LOOK_EVERY_MS = 1_000

/**
 * Calls `onGone` when the parent process has ended, however it did: a killed npm passes no signal on, and its child
 * would keep data directory and port. Only for processes started by npm; a service that was sent to the background on
 * purpose continues. Windows still names a parent that has ended.
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
