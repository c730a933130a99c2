import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { StateStore } from '../kit/state.ts'

/** A record as Odoo would give it, with the fields of every version. */
const Row = Type.Object({ id: Type.Integer() })
export type Row = { id: number; [field: string]: unknown }

const StateFile = Type.Object({
  clockMs: Type.Number(),
  /** Users whose key was taken away. */
  revoked: Type.Array(Type.Integer()),
  /** Accounts that were edited or added, by company. */
  accounts: Type.Record(Type.String(), Type.Array(Row)),
  removedAccounts: Type.Array(Type.Integer()),
  removedMoves: Type.Array(Type.Integer()),
})

const isStateFile = Compile(StateFile)

/** What a restart must not forget. */
export class SimulatorState extends StateStore<Static<typeof StateFile>> {
  constructor(file: string | undefined) {
    super(file, { clockMs: 0, revoked: [], accounts: {}, removedAccounts: [], removedMoves: [] }, (kept) => isStateFile.Check(kept))
  }
}
