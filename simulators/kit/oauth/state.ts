import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../state.ts'

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

/** What a restart must not forget. */
export class SimulatorState extends StateStore<State> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(list: string): Edits {
    const edits = this.data.edits[list] ?? { kept: {}, removed: [] }
    this.data.edits[list] = edits
    return edits
  }
}
