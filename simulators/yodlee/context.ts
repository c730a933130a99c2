import type { Provider } from './data/institutions.ts'
import type { YodleeState } from './state.ts'

/** Context shared by the modules of the simulator. */
export interface Context {
  seed: number
  state: YodleeState
  /** Size of the load-test login. */
  giant: { accounts: number; transactions: number }
  directory: readonly Provider[]
  /** Name of the administrator, the only user who may configure webhooks. */
  adminLoginName: string
  nowMs(): number
  baseUrl(): string
  save(): void
  /** Queues a webhook for the subscribers of the event. */
  send(event: string, body: Record<string, unknown>): void
}

export function newId(context: Context): number {
  context.state.serial += 1
  return context.state.serial
}

/** Instant in Yodlee's format, without fractions. */
export function toInstantText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
