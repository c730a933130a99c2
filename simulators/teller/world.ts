import type { BankContext } from '../bank-simulator.ts'
import type { TellerState } from './state.ts'

export const FAULTS = {
  revoked: 'data: the enrollment is disconnected',
  loginRequired: 'data: the bank wants a new login',
  forbidden: 'data: the product is not enabled',
  missingCertificate: 'data: the client certificate is missing',
  accountClosed: 'data: an account was closed since it was listed',
  repeatedPage: 'data: a page beyond the first gives the page before once more',
}
export type TellerFault = keyof typeof FAULTS

export interface TellerWorld {
  context: BankContext<TellerState, TellerFault>
  seed: number
  institutions: { id: string; name: string; products: string[] }[]
  /** What an owner of the giant bank opens. */
  giant: { accounts: number; perDay: number }
}
