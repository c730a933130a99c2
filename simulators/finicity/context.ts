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
  keys: { appKey: string; partnerId: string; partnerSecret: string } | null
  /** Queues a signed Data Connect event. */
  sendEvent(url: string | null, body: object): void
  /** Sends a verification code for the listener to echo. */
  verifyListener(url: string): void
}

export function nowSeconds(context: Context): number {
  return Math.floor(context.bank.now().getTime() / 1000)
}

export function institutionOf(context: Context, id: number): Institution | null {
  return context.directory.find((institution) => institution.id === id) ?? null
}

/** Reads the accounts of all logins not read since the last nightly batch at four o'clock. */
export function aggregate(context: Context): void {
  const night = Math.floor((nowSeconds(context) - 14_400) / 86_400) * 86_400 + 14_400
  for (const login of Object.values(context.bank.state.logins)) {
    if (login.statusCode === 0 && night > (login.aggregatedAt ?? login.createdAt)) login.aggregatedAt = night
  }
}

export function loginsOf(context: Context, customerId: string): Login[] {
  return Object.values(context.bank.state.logins).filter((login) => login.customerId === customerId)
}
