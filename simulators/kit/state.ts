import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Persistent state of a simulator, kept in `file` if one is given; throws if the file holds something else. */
export class StateStore<Data extends object> {
  readonly data: Data
  readonly #file: string | undefined

  /** Only this simulator writes the file; `isData` defaults to checking for the fields of `initial`. */
  constructor(file: string | undefined, initial: Data, isData = (kept: unknown): kept is Data => hasFieldsOf(initial, kept)) {
    this.#file = file
    this.data = file !== undefined && existsSync(file) ? read(file, isData) : initial
  }

  /** Writes to a temporary file and renames it, so that the file is never incomplete; does nothing without a file. */
  save(): void {
    if (this.#file === undefined) return
    const aside = `${this.#file}.${process.pid}.new`
    writeFileSync(aside, JSON.stringify(this.data), { mode: 0o600 })
    renameSync(aside, this.#file)
  }
}

/** A number that this state has not given before. */
export function takeNumber(state: { next: number }): number {
  state.next += 1
  return state.next - 1
}

function read<Data>(file: string, isData: (kept: unknown) => kept is Data): Data {
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isData(kept))
    throw new Error(`${file} is not a state file of this simulator, or is from an earlier version: delete it and start again`)
  return kept
}

function hasFieldsOf(initial: object, kept: unknown): boolean {
  return typeof kept === 'object' && kept !== null && Object.keys(initial).every((name) => name in kept)
}
