import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** State of a simulator that a restart must not forget. Kept in `file` when there is one; a file that holds something else throws. */
export class StateStore<Data extends object> {
  readonly data: Data
  readonly #file: string | undefined

  /** The file is written by nobody else: whether it has the fields of `initial` is asked where `isData` is left out. */
  constructor(file: string | undefined, initial: Data, isData = (kept: unknown): kept is Data => hasFieldsOf(initial, kept)) {
    this.#file = file
    this.data = file !== undefined && existsSync(file) ? read(file, isData) : initial
  }

  /** Written aside and renamed, so that it is never half a file; nothing is written without a file. */
  save(): void {
    if (this.#file === undefined) return
    const aside = `${this.#file}.${process.pid}.new`
    writeFileSync(aside, JSON.stringify(this.data), { mode: 0o600 })
    renameSync(aside, this.#file)
  }
}

function read<Data>(file: string, isData: (kept: unknown) => kept is Data): Data {
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isData(kept)) throw new Error(`${file} is not the state of this simulator, perhaps of an earlier version: delete it and start again`)
  return kept
}

function hasFieldsOf(initial: object, kept: unknown): boolean {
  return typeof kept === 'object' && kept !== null && Object.keys(initial).every((name) => name in kept)
}
