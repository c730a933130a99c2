import { hashHex } from '../kit/random.ts'
import type { MxInstitution } from './data/institutions.ts'
import type { MxState } from './state.ts'

/** Context shared by the modules of the simulator. */
export interface Context {
  seed: number
  state: MxState
  /** Size of the load-test login. */
  giant: { accounts: number; transactions: number }
  directory: readonly MxInstitution[]
  nowMs(): number
  baseUrl(): string
  save(): void
  /** Queues a webhook if an address is configured. */
  send(body: Record<string, unknown>, payload?: string | null): void
}

/** A guid with the prefix of its kind, deterministic in the parts. */
export function toGuid(prefix: string, ...parts: (string | number)[]): string {
  const hex = hashHex(32, ...parts)
  return `${prefix}-${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function newGuid(context: Context, prefix: string): string {
  context.state.serial += 1
  return toGuid(prefix, context.seed, 'made', context.state.serial)
}

/** Instant in MX's format. */
export function toInstantText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
