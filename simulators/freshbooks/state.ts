import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  /** Key of the sign-in. */
  login: Type.String(),
  /** Empty when a newer authorization of the same person and app has ended it. */
  refreshToken: Type.String(),
  accessToken: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  accessExpiresAt: Type.Number(),
})
export type GrantState = Static<typeof GrantState>

const CodeState = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  login: Type.String(),
  /** Of PKCE; empty when the app sent none. */
  challenge: Type.String(),
  expiresAt: Type.Number(),
})
export type CodeState = Static<typeof CodeState>

/** An account as the API returns it. */
const Row = Type.Object({ uuid: Type.String() })
export type Row = { uuid: string; [property: string]: unknown }

const EditState = Type.Object({ accounts: Type.Array(Row), removed: Type.Array(Type.String()) })

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  /** By business uuid: accounts that were edited, added or deleted. */
  edits: Type.Record(Type.String(), EditState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. Kept in `file` when there is one: written aside and renamed, so that it is never half a file. */
export class SimulatorState {
  readonly data: StateFile
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
    this.data = file !== undefined && existsSync(file) ? readState(file) : { clockMs: 0, codes: {}, grants: {}, edits: {} }
  }

  editsOf(businessUuid: string): Static<typeof EditState> {
    const edits = this.data.edits[businessUuid] ?? { accounts: [], removed: [] }
    this.data.edits[businessUuid] = edits
    return edits
  }

  save(): void {
    if (this.#file === undefined) return
    const aside = `${this.#file}.${process.pid}.new`
    writeFileSync(aside, JSON.stringify(this.data), { mode: 0o600 })
    renameSync(aside, this.#file)
  }
}

function readState(file: string): StateFile {
  const state: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isStateFile.Check(state)) throw new Error(`${file} is not the state of a FreshBooks simulator`)
  return state
}
