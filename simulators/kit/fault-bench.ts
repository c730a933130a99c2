/** Scripted faults that strike by what they say of themselves: how often each is still to happen. */
export class FaultBench<Fault extends object> {
  readonly #faults: Readonly<Record<string, Fault>>
  readonly #armed = new Map<string, number>()

  constructor(faults: Readonly<Record<string, Fault>>) {
    this.#faults = faults
  }

  /** Throws for an unknown name, with the list of names. */
  arm(name: string, times: number): void {
    if (!Object.hasOwn(this.#faults, name)) throw new RangeError(`no fault "${name}"; there are ${Object.keys(this.#faults).join(', ')}`)
    this.#armed.set(name, (this.#armed.get(name) ?? 0) + times)
  }

  clear(): void {
    this.#armed.clear()
  }

  /** The first armed fault that strikes, used up once; null when none does. */
  take(strikes: (fault: Fault) => boolean): Fault | null {
    for (const [name, left] of this.#armed) {
      const fault = this.#faults[name]
      if (!fault || !strikes(fault)) continue
      if (left <= 1) this.#armed.delete(name)
      else this.#armed.set(name, left - 1)
      return fault
    }
    return null
  }
}
