import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { tooManyRequests } from '../../errors/errors.ts'
import { DEFAULT_HASH_COST, type HashCost } from '../login/login-cost.ts'

/**
 * OWASP minimum for argon2id.
 * Source: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id
 */
const FLOOR: HashCost = { memoryKiB: 19 * 1024, passes: 2, lanes: 1 }
const MAX_AT_ONCE = 4
const MAX_WAITING = 64
/** `Retry-After` when the queue is full, in seconds. */
const BUSY_SECONDS = 2

/**
 * Password hashing with argon2id and limited concurrency: one hash takes 64 MiB, so a flood of logins must not exhaust
 * the memory.
 */
export class PasswordHashing {
  readonly #cost: HashCost
  readonly #slots: number
  readonly #waiting: (() => void)[] = []
  #running = 0
  #decoy: Promise<string> | null = null

  /** Throws `RangeError` for a cost below the minimum. */
  constructor(cost: HashCost = DEFAULT_HASH_COST) {
    if (cost.memoryKiB < FLOOR.memoryKiB || cost.passes < FLOOR.passes || cost.lanes < FLOOR.lanes) {
      throw new RangeError(`password hashing needs at least ${FLOOR.memoryKiB} KiB, ${FLOOR.passes} passes and ${FLOOR.lanes} lane`)
    }
    this.#cost = cost
    this.#slots = Math.min(MAX_AT_ONCE, Math.max(1, availableParallelism()))
  }

  /** PHC string with its own salt. Throws a 429 when the queue is full. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() =>
      hash(Buffer.from(password, 'utf8'), {
        memoryCost: this.#cost.memoryKiB,
        timeCost: this.#cost.passes,
        parallelism: this.#cost.lanes,
      }),
    )
  }

  /** A missing account (`null`) takes as long as a wrong password. Throws a 429 when the queue is full. */
  async verify(stored: string | null, password: string): Promise<boolean> {
    const against = stored ?? (await this.hashOfNobody())
    const fits = await this.#inTurn(() => verify(against, Buffer.from(password, 'utf8')))
    return fits && stored !== null
  }

  /** Whether a hash was made with another cost than the current one. */
  isOutdated(stored: string): boolean {
    const { memoryKiB, passes, lanes } = this.#cost
    return !stored.startsWith(`$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$`)
  }

  /** Hash of a password that nobody knows, for an account without one; the same for all accounts of this process. */
  hashOfNobody(): Promise<string> {
    this.#decoy ??= this.hash(randomBytes(32).toString('hex')).catch((error: unknown) => {
      this.#decoy = null
      throw error
    })
    return this.#decoy
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#slots) await this.#wait()
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  /** A finished task hands its slot to the next waiter, so `#running` stays unchanged. */
  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw tooManyRequests(BUSY_SECONDS, 'Too many logins at once.')
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
