import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

const Token = Type.Object({ token: Type.String(), expiresAt: Type.Number() })

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  login: Type.String(),
  /** Several live at a time: a refresh ends none. Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  refreshTokens: Type.Array(Token),
  accessTokens: Type.Array(Token),
})
export type GrantState = Static<typeof GrantState>

const CodeState = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  login: Type.String(),
  challenge: Type.Union([Type.String(), Type.Null()]),
  expiresAt: Type.Number(),
})
export type CodeState = Static<typeof CodeState>

/** A record of a company as the API returns it. */
const Row = Type.Object({ id: Type.String() })
export type Row = { id: string; [property: string]: unknown }

const SubscriptionState = Type.Object({
  subscriptionId: Type.String(),
  environment: Type.String(),
  notificationUrl: Type.String(),
  resource: Type.String(),
  clientState: Type.String(),
  expiresAt: Type.Number(),
})
export type SubscriptionState = Static<typeof SubscriptionState>

const EditState = Type.Object({ accounts: Type.Array(Row), removedAccounts: Type.Array(Type.String()), entries: Type.Array(Row) })

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  /** By company: accounts that were edited, added or deleted, and entries that were posted. */
  edits: Type.Record(Type.String(), EditState),
  subscriptions: Type.Array(SubscriptionState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {}, subscriptions: [] }, (kept) => isStateFile.Check(kept), {
      subscriptions: [],
    })
  }

  editsOf(companyId: string): Static<typeof EditState> {
    const edits = this.data.edits[companyId] ?? { accounts: [], removedAccounts: [], entries: [] }
    this.data.edits[companyId] = edits
    return edits
  }
}
