import type { BankContext } from '../kit/bank-simulator.ts'
import type { Institution } from './data/institutions.ts'
import type { FaultName } from './faults.ts'
import type { Login, State } from './state.ts'

/** Context shared by the modules of the simulator. */
export interface Context {
  bank: BankContext<State, FaultName>
  directory: readonly Institution[]
  giantAccounts: number
  historyDays: number
  keys: { customerId: string; secretKey: string } | null
}

const DAY_MS = 86_400_000
/** Time of the nightly read, UTC. */
const NIGHT_MS = 4 * 3_600_000

export function nowMs(context: Context): number {
  return context.bank.now().getTime()
}

export function institutionOf(context: Context, id: number): Institution | null {
  return context.directory.find((institution) => institution.id === id) ?? null
}

/** Applies the nightly reads since the last one, for a scheduled login whose bank asks no question. */
export function readNightly(context: Context, login: Login): void {
  const night = Math.floor((nowMs(context) - NIGHT_MS) / DAY_MS) * DAY_MS + NIGHT_MS
  if (login.isScheduled && login.trouble === null && night > login.readAt) login.readAt = night
}
