import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What a restart must not forget. Kept in `file` when there is one; a file that holds something else throws. `added` is what older files lack. */
export class StateStore<Data> {
  readonly data: Data
  readonly #file: string | undefined

  constructor(file: string | undefined, initial: Data, isData: (kept: unknown) => kept is Data, added: object = {}) {
    this.#file = file
    this.data = file !== undefined && existsSync(file) ? read(file, isData, added) : initial
  }

  save(): void {
    writeState(this.#file, this.data)
  }
}

/** Written aside and renamed, so that it is never half a file; nothing is written without a file. */
export function writeState(file: string | undefined, state: unknown): void {
  if (file === undefined) return
  const aside = `${file}.${process.pid}.new`
  writeFileSync(aside, JSON.stringify(state), { mode: 0o600 })
  renameSync(aside, file)
}

function read<Data>(file: string, isData: (kept: unknown) => kept is Data, added: object): Data {
  const kept: unknown = { ...added, ...JSON.parse(readFileSync(file, 'utf8')) }
  if (!isData(kept)) throw new Error(`${file} is not the state of this simulator`)
  return kept
}
