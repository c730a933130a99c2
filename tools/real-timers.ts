import timers from 'node:timers'
import { afterAll, vi } from 'vitest'

/**
 * After each test file: fails one that leaves fake timers behind. The files that a worker runs share its globals, and those
 * after it would wait for timers that never fire.
 */
afterAll(() => {
  // A spy of a fake timer that is still there would bring it back in a later file.
  vi.restoreAllMocks()
  if (globalThis.setTimeout === timers.setTimeout && globalThis.setInterval === timers.setInterval) return
  vi.useRealTimers()
  const { setTimeout, clearTimeout, setInterval, clearInterval } = timers
  Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval })
  throw new Error('this file leaves fake timers behind, or a spy of them')
})
