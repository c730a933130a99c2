import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

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

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, connections: [], edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(tenantId: string): EditState {
    const edits = this.data.edits[tenantId] ?? { accounts: [], removedAccounts: [], journals: [] }
    this.data.edits[tenantId] = edits
    return edits
  }
}
