import type { KeyFile } from './key-files.ts'

/** Key ring of one purpose: the newest key writes, all of them read, so that a rotation interrupts nothing. */
export interface KeyRing<K> {
  /** The last of those that may write by now. */
  newest: K
  find(id: string): K | undefined
  /** Oldest first; keys that may not write yet are the last. */
  all: readonly K[]
}

export interface KeyRingSource<K> {
  /** For messages: where the keys are. */
  place: string
  /** All keys as they are there now, oldest first. */
  reread(): readonly KeyFile[]
  purpose: string
  /** All keys, oldest first. */
  files: readonly KeyFile[]
  toKey(file: KeyFile): K
  now(): Date
  /** Whether an unknown id makes the ring re-read the folder; for ids that cannot be chosen from outside. */
  looksForUnknown?: boolean
}

/** Key ring that follows its folder while the process runs. */
export class ReloadableKeyRing<K> implements KeyRing<K> {
  readonly #source: KeyRingSource<K>
  #keys: readonly { file: KeyFile; key: K }[]

  /** Throws when the folder has no key of the purpose. */
  constructor(source: KeyRingSource<K>) {
    this.#source = source
    this.#keys = this.#read(source.files)
    if (this.#keys.length === 0) throw new Error(`${source.place} has no key for ${source.purpose}; restore it from its backup`)
  }

  get newest(): K {
    const now = this.#source.now()
    const [first] = this.#keys
    const newest = this.#keys.findLast(({ file }) => file.from === null || file.from <= now) ?? first
    if (!newest) throw new Error('a key ring is never empty')
    return newest.key
  }

  get all(): readonly K[] {
    return this.#keys.map(({ key }) => key)
  }

  /** When the key stops writing because a newer one starts; null for the last one, and if that is not known. */
  writesUntil(id: string): Date | null {
    const index = this.#keys.findIndex(({ file }) => file.id === id)
    return index === -1 ? null : (this.#keys[index + 1]?.file.from ?? null)
  }

  find(id: string): K | undefined {
    const known = this.#find(id)
    if (known !== undefined || !this.#source.looksForUnknown) return known
    this.refresh()
    return this.#find(id)
  }

  /** Loads keys that were added and drops those that were deleted, unless none would be left. */
  refresh(): void {
    const files = this.#source.reread().filter(({ purpose }) => purpose === this.#source.purpose)
    const isSame = files.length === this.#keys.length && files.every(({ id }) => this.#find(id) !== undefined)
    if (files.length > 0 && !isSame) this.#keys = this.#read(files)
  }

  #find(id: string): K | undefined {
    return this.#keys.find(({ file }) => file.id === id)?.key
  }

  #read(files: readonly KeyFile[]): { file: KeyFile; key: K }[] {
    const { purpose, toKey } = this.#source
    return files.filter((file) => file.purpose === purpose).map((file) => ({ file, key: toKey(file) }))
  }
}
