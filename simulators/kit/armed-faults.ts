/** Scripted faults of one simulator: how often each is still to happen. */
export class ArmedFaults<Name extends string> {
  readonly #descriptions: Readonly<Record<Name, string>>
  readonly #left = new Map<string, number>()

  constructor(descriptions: Readonly<Record<Name, string>>) {
    this.#descriptions = descriptions
  }

  /** Throws for an unknown name, with the list of names. */
  arm(name: string, times: number): void {
    if (!Object.hasOwn(this.#descriptions, name)) {
      throw new Error(`no fault "${name}"; there are: ${Object.keys(this.#descriptions).join(', ')}`)
    }
    this.#left.set(name, (this.#left.get(name) ?? 0) + times)
  }

  clear(): void {
    this.#left.clear()
  }

  /** Whether the fault is armed; uses it up once. */
  take(name: Name): boolean {
    const left = this.#left.get(name) ?? 0
    if (left > 0) this.#left.set(name, left - 1)
    return left > 0
  }
}
