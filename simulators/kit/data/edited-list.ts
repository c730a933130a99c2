/** A record of a business as the API returns it. */
export type Row = Record<string, unknown>

/** Edits of a list since it was generated. */
export interface Edits<Item> {
  /** Edited or added records, by id. */
  kept: Record<string, Item>
  removed: string[]
}

export interface EditsStore<Item> {
  /** Edits of one list, e.g. `<business>/accounts`. */
  editsOf(list: string): Edits<Item>
  save(): void
}

/** List of records by id in its own order, with the edits from the state applied. */
export class EditedList<Item extends object = Row> {
  readonly #items: Map<string, Item>
  readonly #store: EditsStore<Item>
  readonly #edits: Edits<Item>

  constructor(store: EditsStore<Item>, name: string, seeded: Iterable<readonly [id: string, item: Item]>) {
    this.#store = store
    this.#edits = store.editsOf(name)
    this.#items = new Map([...seeded, ...Object.entries(this.#edits.kept)])
    for (const id of this.#edits.removed) this.#items.delete(id)
  }

  get rows(): Item[] {
    return [...this.#items.values()]
  }

  get size(): number {
    return this.#items.size
  }

  /** Throws if the id is unknown. */
  get(id: string): Item {
    const item = this.#items.get(id)
    if (!item) throw new Error(`unknown record ${id}`)
    return item
  }

  has(id: string): boolean {
    return this.#items.has(id)
  }

  /** Replaces a record, or appends it if it is new. Returns it. */
  put<Put extends Item>(id: string, item: Put): Put {
    this.#items.set(id, item)
    this.#edits.kept[id] = item
    this.#edits.removed = this.#edits.removed.filter((each) => each !== id)
    this.#store.save()
    return item
  }

  /** Removes the record from all later answers; throws if the id is unknown. */
  remove(id: string): void {
    this.get(id)
    this.#items.delete(id)
    delete this.#edits.kept[id]
    this.#edits.removed.push(id)
    this.#store.save()
  }
}

/** Entries of records by id, for the constructor of a list. */
export function byId<Item extends object, Key extends keyof Item>(rows: readonly Item[], key: Key): [id: string, item: Item][] {
  return rows.map((row) => [String(row[key]), row])
}
