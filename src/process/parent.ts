/** Delay until an orphan notices; each look wakes an idle process. */
const LOOK_EVERY_MS = 2_000

/**
 * Calls `onGone` when the parent process has ended, however it did: a killed npm passes no signal on, and its child
 * would keep data directory and port. Only for processes started by npm or by the launcher in `bin`; a service that was
 * sent to the background on purpose continues. The end of the launcher closes the channel to it and wakes nobody before;
 * npm has none and is looked at, except on Windows, which still names a parent that has ended.
 */
export function watchParent(env: Readonly<Record<string, string | undefined>>, onGone: () => void): void {
  const parent = process.ppid
  if (env.COUNTINGHOUSE_LAUNCHER === String(parent) && process.connected) {
    process.once('disconnect', onGone)
    return
  }
  if (env.npm_lifecycle_event !== 'start' || process.platform === 'win32') return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, LOOK_EVERY_MS)
  timer.unref()
}
