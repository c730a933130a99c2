import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** A record as Odoo would give it, with the fields of every version. */
const Row = Type.Object({ id: Type.Integer() })
export type Row = { id: number; [field: string]: unknown }

const StateFile = Type.Object({
  clockMs: Type.Number(),
  /** Users whose key was taken away. */
  revoked: Type.Array(Type.Integer()),
  /** Accounts that were edited or added, by company. */
  accounts: Type.Record(Type.String(), Type.Array(Row)),
  removedAccounts: Type.Array(Type.Integer()),
  removedMoves: Type.Array(Type.Integer()),
})

const isStateFile = Compile(StateFile)

/** What a restart must not forget. Kept in `file` when there is one: written aside and renamed, so that it is never half a file. */
export class SimulatorState {
  readonly data: Static<typeof StateFile>
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
    this.data =
      file !== undefined && existsSync(file)
        ? readState(file)
        : { clockMs: 0, revoked: [], accounts: {}, removedAccounts: [], removedMoves: [] }
  }

  save(): void {
    if (this.#file === undefined) return
    const aside = `${this.#file}.${process.pid}.new`
    writeFileSync(aside, JSON.stringify(this.data), { mode: 0o600 })
    renameSync(aside, this.#file)
  }
}

function readState(file: string): Static<typeof StateFile> {
  const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isStateFile.Check(state)) throw new Error(`${file} is not the state of an Odoo simulator`)
  return state
}
