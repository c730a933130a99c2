import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

const CodeState = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  /** Key of the sign-in. */
  login: Type.String(),
  scope: Type.String(),
  authEventId: Type.String(),
  /** Of PKCE; empty when the app sent none. */
  challenge: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  expiresAt: Type.Number(),
})
export type CodeState = Static<typeof CodeState>

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  login: Type.String(),
  scope: Type.String(),
  authEventId: Type.String(),
  refreshToken: Type.String(),
  refreshExpiresAt: Type.Number(),
  /** The token before, which still works for a while; empty at first. */
  formerToken: Type.String(),
  formerExpiresAt: Type.Number(),
  accessTokens: Type.Array(Type.Object({ token: Type.String(), expiresAt: Type.Number() })),
})
export type GrantState = Static<typeof GrantState>

const ConnectionState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  login: Type.String(),
  tenantId: Type.String(),
  authEventId: Type.String(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
})
export type ConnectionState = Static<typeof ConnectionState>

const Row = Type.Record(Type.String(), Type.Unknown())
/** A record of an organisation as the API returns it. */
export type Row = Record<string, unknown>

const EditState = Type.Object({ accounts: Type.Array(Row), removedAccounts: Type.Array(Type.String()), journals: Type.Array(Row) })
export type EditState = Static<typeof EditState>

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  connections: Type.Array(ConnectionState),
  /** By tenant: accounts that were edited, added or deleted, and journals that were posted. */
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
    const isKept = file !== undefined && existsSync(file)
    this.data = isKept ? readState(file) : { clockMs: 0, codes: {}, grants: {}, connections: [], edits: {} }
  }

  editsOf(tenantId: string): EditState {
    const edits = this.data.edits[tenantId] ?? { accounts: [], removedAccounts: [], journals: [] }
    this.data.edits[tenantId] = edits
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
  if (!isStateFile.Check(state)) throw new Error(`${file} is not the state of a Xero simulator`)
  return state
}
