import type { BankContext } from '../bank-simulator.ts'
import type { Institution } from './directory.ts'
import type { FaultName } from './faults.ts'
import type { Login, State } from './state.ts'

/** What the parts of the simulator share. */
export interface World {
  context: BankContext<State, FaultName>
  directory: readonly Institution[]
  giantAccounts: number
  historyDays: number
  keys: { appKey: string; partnerId: string; partnerSecret: string } | null
  /** Queues a signed event of Data Connect. */
  sendEvent(url: string | null, body: object): void
  /** Asks a listener to say a code back. */
  verifyListener(url: string): void
}

export function nowSeconds(world: World): number {
  return Math.floor(world.context.now().getTime() / 1000)
}

export function institutionOf(world: World, id: number): Institution | null {
  return world.directory.find((institution) => institution.id === id) ?? null
}

/** Reads the accounts of all logins that no night has come over since, as the nightly batch does at four. */
export function aggregate(world: World): void {
  const night = Math.floor((nowSeconds(world) - 14_400) / 86_400) * 86_400 + 14_400
  for (const login of Object.values(world.context.state.logins)) {
    if (login.statusCode === 0 && night > (login.aggregatedAt ?? login.createdAt)) login.aggregatedAt = night
  }
}

export function loginsOf(world: World, customerId: string): Login[] {
  return Object.values(world.context.state.logins).filter((login) => login.customerId === customerId)
}

export function takeNumber(world: World): number {
  const { state } = world.context
  const number = state.next
  state.next += 1
  return number
}
