import type { Collection, Provider } from './provider.ts'
import type { Random } from './random.ts'

/** The owner, who changes the books at the source. */
export class Bookkeeper {
  readonly #provider: Provider
  readonly #random: Random
  #names = 0

  constructor(provider: Provider, random: Random) {
    this.#provider = provider
    this.#random = random
  }

  add(collection: Collection): void {
    this.#names += 1
    const kind = this.#random.chance(0.15) ? 'wombat' : 'asset'
    const id = `${collection[0]}${100 + this.#names}`
    this.#provider.put(collection, { id, name: `name ${this.#names}`, kind, isBroken: this.#random.chance(0.04) })
  }

  change(): void {
    const collection = this.#random.pick(['accounts', 'entries'] as const)
    const known = [...this.#provider.records[collection].values()]
    const what = this.#random.weighted({ add: 5, rename: 6, back: 4, remove: 3, removeMost: 0.5, forget: 1, spoil: 0.3 })
    this.#names += 1
    if (what === 'add' || known.length === 0) {
      this.add(collection)
      return
    }
    const one = this.#random.pick(known)
    const isBroken = this.#random.chance(0.05)
    if (what === 'rename') this.#provider.put(collection, { ...one, name: `name ${this.#names}`, isBroken })
    else if (what === 'back') this.#provider.back(collection, one.id)
    else if (what === 'remove') this.#provider.remove(collection, one.id)
    else if (what === 'removeMost') for (const { id } of known.slice(1)) this.#provider.remove(collection, id)
    else if (what === 'forget') this.#provider.forgetCursors()
    else if (what === 'spoil') this.#corrupt()
  }

  /** The source changes its data format overnight. */
  #corrupt(): void {
    for (let number = 0; number < 22; number += 1) {
      this.#names += 1
      this.#provider.put('accounts', { id: `z${100 + this.#names}`, name: 'odd', kind: 'asset', isBroken: true })
    }
  }
}
