import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  realmId: Type.String(),
  refreshToken: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  refreshIssuedAt: Type.Number(),
  refreshExpiresAt: Type.Number(),
  hardExpiresAt: Type.Number(),
  accessTokens: Type.Array(Type.Object({ token: Type.String(), expiresAt: Type.Number() })),
})
export type GrantState = Static<typeof GrantState>

const CodeState = Type.Object({ clientId: Type.String(), redirectUri: Type.String(), realmId: Type.String(), expiresAt: Type.Number() })

/** A record of a company as the API returns it. */
const Row = Type.Object({ Id: Type.String() })
export type Row = { Id: string; [property: string]: unknown }

const EditState = Type.Object({ accounts: Type.Array(Row), removedEntries: Type.Array(Type.String()) })

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  /** By realm: accounts that were edited or added, and journal entries that were deleted. */
  edits: Type.Record(Type.String(), EditState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(realmId: string): Static<typeof EditState> {
    const edits = this.data.edits[realmId] ?? { accounts: [], removedEntries: [] }
    this.data.edits[realmId] = edits
    return edits
  }
}
