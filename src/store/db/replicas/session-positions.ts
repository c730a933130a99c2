import { LOG_START, latest, type Position } from './positions.ts'

const MAX_SESSIONS = 50_000

/**
 * Positions up to which sessions and API keys have read in this process, so that later reads are no older. Kept as long
 * as there could be a replica that lags behind them.
 */
export class SessionPositions {
  readonly #keptMs: number
  /** Oldest first. */
  readonly #positions = new Map<string, { position: Position; readAtMs: number }>()

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  get(grantId: string): Position {
    return this.#positions.get(grantId)?.position ?? LOG_START
  }

  /** Replaces `from` by `to`, unless a position was added in between. */
  replace(grantId: string, from: Position, to: Position): void {
    const kept = this.#positions.get(grantId)
    if (kept?.position === from) this.#positions.set(grantId, { ...kept, position: to })
  }

  add(grantId: string, position: Position, nowMs: number): void {
    const before = this.get(grantId)
    this.#positions.delete(grantId)
    this.#positions.set(grantId, { position: latest(before, position), readAtMs: nowMs })
    for (const [id, { readAtMs }] of this.#positions) {
      if (nowMs - readAtMs <= this.#keptMs && this.#positions.size <= MAX_SESSIONS) break
      this.#positions.delete(id)
    }
  }
}
