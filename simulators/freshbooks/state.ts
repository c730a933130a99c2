import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

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

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(businessUuid: string): Static<typeof EditState> {
    const edits = this.data.edits[businessUuid] ?? { accounts: [], removed: [] }
    this.data.edits[businessUuid] = edits
    return edits
  }
}
