import { existsSync } from 'node:fs'

/** Path of Debian's `faketime`, by machine architecture. */
const LIBRARY = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((kind) => `/usr/lib/${kind}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path))

/** True if faketime is missing and its tests may be skipped; with CI set a missing one fails them. */
export const lacksFakeTime = LIBRARY === undefined && process.env.CI !== 'true'
export const fakeTimeNote = lacksFakeTime ? ' (SKIPPED: no faketime on this machine)' : ''

/** Environment of a process whose clock differs, such as `+1d`; its timers are not affected. */
export function fakeTime(clock: string): Record<string, string> {
  if (LIBRARY === undefined) throw new Error('faketime is not installed')
  return { LD_PRELOAD: LIBRARY, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1', FAKETIME: clock }
}
