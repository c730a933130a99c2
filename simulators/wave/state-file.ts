import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const Grant = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  /** Key of the sign-in. */
  login: Type.String(),
  /** The books that were chosen; null when the sign-in opens all of its books. */
  businessId: Type.Union([Type.String(), Type.Null()]),
  refreshToken: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  refreshExpiresAt: Type.Number(),
  accessToken: Type.String(),
  accessExpiresAt: Type.Number(),
})
export type Grant = Static<typeof Grant>

const Code = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  login: Type.String(),
  businessId: Type.Union([Type.String(), Type.Null()]),
  /** Of PKCE; empty when the app sent none. */
  challenge: Type.String(),
  expiresAt: Type.Number(),
})
export type Code = Static<typeof Code>

/** A record of a business as the API returns it, without its id. */
export type Row = Record<string, unknown>

const Edits = Type.Object({
  /** Records that were edited or added, by id. */
  kept: Type.Record(Type.String(), Type.Record(Type.String(), Type.Unknown())),
  removed: Type.Array(Type.String()),
})
export type Edits = Static<typeof Edits>

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), Code),
  grants: Type.Record(Type.String(), Grant),
  /** By business and list, e.g. `<id>/accounts`. */
  edits: Type.Record(Type.String(), Edits),
})
export type State = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. Kept in `file` when there is one: written aside and renamed, so that it is never half a file. */
export class SimulatorState {
  readonly data: State
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
    this.data = file !== undefined && existsSync(file) ? readState(file) : { clockMs: 0, codes: {}, grants: {}, edits: {} }
  }

  editsOf(list: string): Edits {
    const edits = this.data.edits[list] ?? { kept: {}, removed: [] }
    this.data.edits[list] = edits
    return edits
  }

  save(): void {
    if (this.#file === undefined) return
    const aside = `${this.#file}.${process.pid}.new`
    writeFileSync(aside, JSON.stringify(this.data), { mode: 0o600 })
    renameSync(aside, this.#file)
  }
}

function readState(file: string): State {
  const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isStateFile.Check(state)) throw new Error(`${file} is not the state of this simulator`)
  return state
}
