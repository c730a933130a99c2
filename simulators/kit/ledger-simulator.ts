import type { Simulator, SimulatorOptions } from '../simulator.ts'
import type { ServedControls } from './http/front.ts'
import type { Clients } from './oauth/clients.ts'

/** Options of a simulated accounting system whose owners sign in. */
export interface LedgerSimulatorOptions extends SimulatorOptions {
  /** Accounts of the load test's company; defaults to 20,000. */
  giantAccounts?: number
  /** Client ids and secrets that are accepted; defaults to any. */
  clients?: Clients
}

export interface LedgerSimulator extends Simulator, ServedControls {
  /** Ends every authorization of a login, as its user can; `login` is the login's key. */
  revoke(login: string): void
}

/** Login by its key; throws for an unknown one. */
export function getLoginByKey<Login extends { key: string }>(logins: readonly Login[], key: string): Login {
  const login = logins.find((each) => each.key === key)
  if (!login) throw new Error(`unknown login "${key}"; known: ${logins.map((each) => each.key).join(', ')}`)
  return login
}
