/** A record of a business as the API returns it. */
export type Row = Record<string, unknown>

/** What was changed in a list since it was made up. */
export interface Edits<Item> {
  /** Records that were edited or added, by id. */
  kept: Record<string, Item>
  removed: string[]
}

export interface EditsStore<Item> {
  /** Of one list, e.g. `<business>/accounts`. */
  editsOf(list: string): Edits<Item>
  save(): void
}

/** A list of records by id in its own order, with the edits of the state laid over them. */
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

  /** Throws for an unknown id. */
  get(id: string): Item {
    const item = this.#items.get(id)
    if (!item) throw new Error(`no record ${id}`)
    return item
  }

  has(id: string): boolean {
    return this.#items.has(id)
  }

  /** Puts a record in its place, or at the end when it is new. Answers it. */
  put<Put extends Item>(id: string, item: Put): Put {
    this.#items.set(id, item)
    this.#edits.kept[id] = item
    this.#edits.removed = this.#edits.removed.filter((each) => each !== id)
    this.#store.save()
    return item
  }

  /** From then on the record is in no answer; throws for an unknown id. */
  remove(id: string): void {
    this.get(id)
    this.#items.delete(id)
    delete this.#edits.kept[id]
    this.#edits.removed.push(id)
    this.#store.save()
  }
}

/** Records with their ids, as a list takes them. */
export function byId<Item extends object, Key extends keyof Item>(rows: readonly Item[], key: Key): [id: string, item: Item][] {
  return rows.map((row) => [String(row[key]), row])
}
