import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

const CodeState = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  /** Key of the sign-in. */
  login: Type.String(),
  scope: Type.String(),
  /** Whether a refresh token was asked for. */
  isOffline: Type.Boolean(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  expiresAt: Type.Number(),
})
export type CodeState = Static<typeof CodeState>

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  login: Type.String(),
  scope: Type.String(),
  /** Empty for an authorization without one. */
  refreshToken: Type.String(),
  issuedAt: Type.Number(),
  accessTokens: Type.Array(Type.Object({ token: Type.String(), issuedAt: Type.Number(), expiresAt: Type.Number() })),
})
export type GrantState = Static<typeof GrantState>

const Row = Type.Record(Type.String(), Type.Unknown())
/** A record of an organization as the API returns it. */
export type Row = Record<string, unknown>

const EditState = Type.Object({ accounts: Type.Array(Row), journals: Type.Array(Row), removed: Type.Array(Type.String()) })
export type EditState = Static<typeof EditState>

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  /** Oldest first. */
  grants: Type.Array(GrantState),
  /** By organization: accounts and journals that were edited or added, and ids of those that were deleted. */
  edits: Type.Record(Type.String(), EditState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: [], edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(organizationId: string): EditState {
    const edits = this.data.edits[organizationId] ?? { accounts: [], journals: [], removed: [] }
    this.data.edits[organizationId] = edits
    return edits
  }
}
