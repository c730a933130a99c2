import type { Provider } from './data/institutions.ts'
import type { YodleeState } from './state.ts'

/** What the parts of the simulator work with. */
export interface Context {
  seed: number
  state: YodleeState
  /** Of the load test's login. */
  giant: { accounts: number; transactions: number }
  directory: readonly Provider[]
  /** Name of the administrator, who alone may set up webhooks. */
  adminLoginName: string
  nowMs(): number
  baseUrl(): string
  save(): void
  /** Queues a webhook for those who subscribed to the event. */
  send(event: string, body: Record<string, unknown>): void
}

export function newId(context: Context): number {
  context.state.serial += 1
  return context.state.serial
}

/** As Yodlee prints it: without fractions. */
export function toInstantText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
