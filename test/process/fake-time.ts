import { existsSync } from 'node:fs'

/** Debian's `faketime`, by the machine's kind. */
const LIBRARY = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((kind) => `/usr/lib/${kind}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path))

/** True where faketime is absent and its tests may be left out; with CI set a missing one fails them. */
export const lacksFakeTime = LIBRARY === undefined && process.env.CI !== 'true'
export const fakeTimeNote = lacksFakeTime ? ' (SKIPPED: no faketime on this machine)' : ''

/** Environment of a process whose clock differs, such as `+1d`; its timers go on as they are. */
export function fakeTime(clock: string): Record<string, string> {
  if (LIBRARY === undefined) throw new Error('faketime is not installed')
  return { LD_PRELOAD: LIBRARY, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1', FAKETIME: clock }
}
