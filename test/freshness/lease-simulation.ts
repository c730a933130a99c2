import { ReadLease } from '../../src/api/read-cache/read-lease.ts'

interface LeaseSimulationOptions {
  seed: number
  leaseMs: number
  /** Time between announcing a change and making it. */
  waitMs: number
}

interface LeaseSimulationResult {
  /** Reads that returned less than what was published before they began. */
  stale: string[]
  /** Number of reads answered without a query. */
  believed: number
}

/** Current state of the simulated database. */
interface PublishedState {
  version: number
  changes: { id: string; key: string; isOpen: boolean }[]
}

const PLAY_MS = 3_000

/**
 * Simulates one process with a lease, one publication that changes repeatedly, and readers, on a virtual clock.
 * Queries to the database have a delay before and after they are evaluated; now and then the process stands still.
 */
export async function simulateReads({ seed, leaseMs, waitMs }: LeaseSimulationOptions): Promise<LeaseSimulationResult> {
  const random = generator(seed)
  const harness = new EventLoop()
  const shown: PublishedState = { version: 1, changes: [] }
  const played: LeaseSimulationResult = { stale: [], believed: 0 }

  /** A query, evaluated at some moment during its round trip. */
  const ask = async <T>(read: () => T): Promise<T> => {
    await harness.pass(delayMs(random))
    const answer = read()
    await harness.pass(delayMs(random))
    return answer
  }
  const lease = new ReadLease({
    leaseMs,
    listChanges: async () =>
      await ask(() => ({ server: 'one', changes: shown.changes.map((change) => ({ ...change })), askAgainWithinMs: 5_000 })),
    elapsedMs: () => harness.nowMs,
    now: () => new Date(harness.nowMs),
  })

  async function publish(): Promise<void> {
    for (let id = 0; harness.nowMs < PLAY_MS; id++) {
      await harness.pass(random() * 600)
      const change = { id: String(id), key: 'a', isOpen: true }
      shown.changes.push(change)
      await harness.pass(waitMs + (random() < 0.2 ? random() * 300 : 0))
      shown.version += 1
      change.isOpen = false
      // A completed change is returned for long, and then dropped.
      if (shown.changes.length > 20) shown.changes.shift()
    }
  }

  async function read(): Promise<void> {
    while (harness.nowMs < PLAY_MS) {
      await harness.pass(random() * 40)
      const [least, came] = [shown.version, harness.nowMs]
      const known = lease.find('a')
      if (known !== undefined) played.believed += 1
      const version = known ?? (await check())
      if (Number(version) < least) played.stale.push(`${version} instead of ${least} at ${came}`)
    }
  }

  async function check(): Promise<string> {
    const ticket = lease.ticket()
    const version = await ask(() => String(shown.version))
    lease.remember(ticket, 'a', version)
    return version
  }

  await harness.play([publish(), read(), read()])
  return played
}

/** Mostly short, sometimes longer than a lease. */
function delayMs(random: () => number): number {
  return random() < 0.05 ? random() * 500 : random() * 5
}

/** Event loop on a virtual clock: time passes while all tasks wait. */
class EventLoop {
  nowMs = 0
  readonly #waiting: { atMs: number; go: () => void }[] = []

  pass(ms: number): Promise<void> {
    return new Promise((go) => this.#waiting.push({ atMs: this.nowMs + ms, go }))
  }

  async play(actors: Promise<void>[]): Promise<void> {
    let isOver = false
    const over = Promise.all(actors).then(() => {
      isOver = true
    })
    while (!isOver) {
      await settled()
      this.#waiting.sort((a, b) => a.atMs - b.atMs)
      const next = this.#waiting.shift()
      if (!next) break
      this.nowMs = Math.max(this.nowMs, next.atMs)
      next.go()
    }
    await over
  }
}

/** Resolves once no task can proceed without the clock. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await Promise.resolve()
}

/** Numbers from 0 to 1, deterministic in the seed. Source: https://en.wikipedia.org/wiki/Xorshift */
function generator(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}
