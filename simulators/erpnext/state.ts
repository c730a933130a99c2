import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** A document as Frappe would give it; its name is its id. */
const Row = Type.Object({ name: Type.String() })
export type Row = { name: string; [field: string]: unknown }

const StateFile = Type.Object({
  clockMs: Type.Number(),
  /** API keys whose secret was replaced. */
  revoked: Type.Array(Type.String()),
  /** New names of companies, by abbreviation. */
  companyNames: Type.Record(Type.String(), Type.String()),
  /** Accounts that were edited or added, by abbreviation of the company. */
  accounts: Type.Record(Type.String(), Type.Array(Row)),
  removedAccounts: Type.Array(Type.String()),
  cancelledVouchers: Type.Array(Type.String()),
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
        : { clockMs: 0, revoked: [], companyNames: {}, accounts: {}, removedAccounts: [], cancelledVouchers: [] }
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
  if (!isStateFile.Check(state)) throw new Error(`${file} is not the state of an ERPNext simulator`)
  return state
}
