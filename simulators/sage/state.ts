import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  /** Key of the sign-in. */
  login: Type.String(),
  /** Empty once it is revoked. */
  refreshToken: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  refreshExpiresAt: Type.Number(),
  accessTokens: Type.Array(Type.Object({ token: Type.String(), expiresAt: Type.Number() })),
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

/** An item of a list as the API returns it. */
const Row = Type.Object({ id: Type.String() })
export type Row = { id: string; [property: string]: unknown }

const EditState = Type.Object({ accounts: Type.Array(Row), removed: Type.Array(Type.String()) })

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  /** By business: accounts that were edited or added; ids of accounts and journals that were deleted. */
  edits: Type.Record(Type.String(), EditState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(businessId: string): Static<typeof EditState> {
    const edits = this.data.edits[businessId] ?? { accounts: [], removed: [] }
    this.data.edits[businessId] = edits
    return edits
  }
}
