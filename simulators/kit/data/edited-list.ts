import type { Edits, Row, SimulatorState } from '../oauth/state.ts'

/** A list of records by id in its own order, with the edits of the state laid over it. */
export class EditedList {
  readonly #rows: Map<string, Row>
  readonly #state: SimulatorState
  readonly #edits: Edits

  constructor(state: SimulatorState, name: string, seeded: Iterable<readonly [id: string, row: Row]>) {
    this.#state = state
    this.#edits = state.editsOf(name)
    this.#rows = new Map([...seeded, ...Object.entries(this.#edits.kept)])
    for (const id of this.#edits.removed) this.#rows.delete(id)
  }

  get rows(): Row[] {
    return [...this.#rows.values()]
  }

  /** Throws for an unknown id. */
  get(id: string): Row {
    const row = this.#rows.get(id)
    if (!row) throw new Error(`no record ${id}`)
    return row
  }

  /** Puts a record in its place, or at the end when it is new. Answers it. */
  put(id: string, row: Row): Row {
    this.#rows.set(id, row)
    this.#edits.kept[id] = row
    this.#edits.removed = this.#edits.removed.filter((each) => each !== id)
    this.#state.save()
    return row
  }

  /** From then on the record is in no answer; throws for an unknown id. */
  remove(id: string): void {
    this.get(id)
    this.#rows.delete(id)
    delete this.#edits.kept[id]
    this.#edits.removed.push(id)
    this.#state.save()
  }
}
