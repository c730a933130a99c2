import type { Answers } from '../../src/connectors/contract/contract.ts'
import type { TrueAccount, TrueMovement } from './accounts.ts'

/** Account as one source shows it: what it knows of the bank, how far back, how current. */
export interface Shown {
  account: TrueAccount
  /** The source’s own id. */
  id: string
  bankName: string
  /** Whether the source gives the end of the number, or all of it where it can. */
  hasNumber: boolean
  movements: readonly ShownMovement[]
  balance: number
  /** Milliseconds. */
  readAt: number
}

export interface ShownMovement extends TrueMovement {
  /** Day on which this source says that it was booked. */
  booked: number
}

/** How a source answers: its raw answers, to be read by the connector. */
export interface AccountSource {
  key: string
  /** Days of history. */
  days: number
  render(accounts: readonly Shown[]): { accounts: Answers[]; transactions: Answers[] }
}

const DAY_MS = 86_400_000
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
export const seconds = (day: number): number => day * 86_400 + 43_200
export const money = (minor: number): number => Number((minor / 100).toFixed(2))
export const answers = (parts: Record<string, unknown>): Answers =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, new TextEncoder().encode(JSON.stringify(part))]))
export const last4 = ({ account: { number }, hasNumber }: Shown): string | null => (hasNumber ? number.slice(-4) : null)
export const isCard = ({ account }: Shown): boolean => account.kind === 'card'
export const word = <T>({ account }: Shown, words: { checking: T; savings: T; card: T }): T => words[account.kind]
