import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

/** A document as Frappe would give it; its name is its id. */
const Row = Type.Object({ name: Type.String() })
export type Row = { name: string; [field: string]: unknown }

const StateFile = Type.Object({
  clockMs: Type.Number(),
  /** API keys whose secret was replaced. */
  revoked: Type.Array(Type.String()),
  /** New names of companies, by abbreviation. */
  companyNames: Type.Record(Type.String(), Type.String()),
  /** Accounts that were edited or added, by abbreviation of the company. */
  accounts: Type.Record(Type.String(), Type.Array(Row)),
  removedAccounts: Type.Array(Type.String()),
  cancelledVouchers: Type.Array(Type.String()),
})

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<Static<typeof StateFile>> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, revoked: [], companyNames: {}, accounts: {}, removedAccounts: [], cancelledVouchers: [] }, (kept) =>
      isStateFile.Check(kept),
    )
  }
}
