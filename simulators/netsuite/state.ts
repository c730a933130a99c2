import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

const GrantState = Type.Object({
  id: Type.String(),
  clientId: Type.String(),
  /** Which sign-in and which of its roles, as in companies.ts. */
  role: Type.String(),
  isPublic: Type.Boolean(),
  refreshToken: Type.String(),
  /** Milliseconds since 1970 by the simulator's clock, as every `…At` here. */
  refreshExpiresAt: Type.Number(),
  /** When a chain of rotated tokens ends for good. */
  chainEndsAt: Type.Number(),
  accessTokens: Type.Array(Type.Object({ token: Type.String(), expiresAt: Type.Number() })),
})
export type GrantState = Static<typeof GrantState>

const CodeState = Type.Object({
  clientId: Type.String(),
  redirectUri: Type.String(),
  role: Type.String(),
  challenge: Type.Union([Type.String(), Type.Null()]),
  expiresAt: Type.Number(),
})
export type CodeState = Static<typeof CodeState>

/** A record of SuiteQL: empty fields are null. */
const Row = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))
export type Row = Record<string, string | null>

const EditState = Type.Object({
  accounts: Type.Array(Row),
  removedAccounts: Type.Array(Type.String()),
  removedTransactions: Type.Array(Type.String()),
  /** Transactions that were posted: their header and their lines. */
  posted: Type.Array(Type.Object({ transaction: Row, lines: Type.Array(Row), accountingLines: Type.Array(Row) })),
})

const StateFile = Type.Object({
  clockMs: Type.Number(),
  codes: Type.Record(Type.String(), CodeState),
  grants: Type.Record(Type.String(), GrantState),
  /** By NetSuite account. */
  edits: Type.Record(Type.String(), EditState),
})
type StateFile = Static<typeof StateFile>

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<StateFile> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, codes: {}, grants: {}, edits: {} }, (kept) => isStateFile.Check(kept))
  }

  editsOf(accountId: string): Static<typeof EditState> {
    const edits = this.data.edits[accountId] ?? { accounts: [], removedAccounts: [], removedTransactions: [], posted: [] }
    this.data.edits[accountId] = edits
    return edits
  }
}
