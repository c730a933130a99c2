/**
 * Fault injector: the named faults of one simulator, each with its definition, and how often each is still to occur.
 */
export class Faults<Name extends string, Fault = string> {
  readonly #faults: Readonly<Record<Name, Fault>>
  /** Oldest first. */
  readonly #left = new Map<string, number>()

  constructor(faults: Readonly<Record<Name, Fault>>) {
    this.#faults = faults
  }

  /** Throws for an unknown name, with the list of names. */
  arm(name: string, times: number): void {
    if (!this.#isName(name)) throw new RangeError(`unknown fault "${name}"; known: ${Object.keys(this.#faults).join(', ')}`)
    this.#left.set(name, (this.#left.get(name) ?? 0) + times)
  }

  clear(): void {
    this.#left.clear()
  }

  /** Whether the fault is armed; consumes one occurrence. */
  take(name: Name): boolean {
    const left = this.#left.get(name) ?? 0
    if (left <= 1) this.#left.delete(name)
    else this.#left.set(name, left - 1)
    return left > 0
  }

  /** The first armed fault that matches, with one occurrence consumed; null if none matches. */
  takeFirst(fits: (fault: Fault) => boolean): Fault | null {
    for (const name of this.#left.keys()) {
      if (this.#isName(name) && fits(this.#faults[name]) && this.take(name)) return this.#faults[name]
    }
    return null
  }

  #isName(name: string): name is Name {
    return Object.hasOwn(this.#faults, name)
  }
}
