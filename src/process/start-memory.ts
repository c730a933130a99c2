import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Returns memory used during startup to the system, some 40 MB: compiled code that ran once, and its arenas. V8 would
 * do so when its heap fills, which in an idle process it never does. Takes about a tenth of a second, so call it before
 * the first request.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  // Source: https://chromium.googlesource.com/v8/v8/+/main/src/extensions/gc-extension.cc
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
