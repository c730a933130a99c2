import { setTimeout as wait } from 'node:timers/promises'
import { ApiFailure } from './api.ts'

const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000

export interface Polling {
  signal: AbortSignal
  say(line: string): void
}

/**
 * Polls every second until the result is not null. A deployment that is unreachable or busy meanwhile is reported once
 * and polled less and less often, and never sooner than it asks for. Throws the reason of `signal`, and any other error
 * of `ask`.
 */
export async function pollUntil<T>({ signal, say }: Polling, ask: () => Promise<T | null>): Promise<T> {
  let failures = 0
  for (;;) {
    let wantedMs = 0
    try {
      const answer = await ask()
      if (failures > 0) say('It answers again.')
      failures = 0
      if (answer !== null) return answer
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof ApiFailure) || !error.isTemporary) throw error
      failures += 1
      wantedMs = error.retryAfterMs
      if (failures === 1) say(`${error.message}\nIt is asked again until it answers; Ctrl-C ends.`)
    }
    await pause(Math.max(wantedMs, Math.min(PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)), signal)
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch {
    throw signal.reason
  }
}
