/**
 * The hook for proofs that kill a process at a named place: the process dies as by SIGKILL when it gets to `name`. Without a name
 * nothing ever stops it.
 */
export function crashPoint(name: string | null): (reached: string) => Promise<void> {
  return async (reached) => {
    if (reached === name) process.kill(process.pid, 'SIGKILL')
  }
}
