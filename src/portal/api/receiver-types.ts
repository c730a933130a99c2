/** Answers about receivers of this deployment. */
export const BEHAVIOURS = ['accept', 'fail', 'slow', 'gone'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

export interface Receiver {
  id: string
  subscriptionId: string
  event: string
  address: string
  behaviour: Behaviour
  createdOn: string
}

export interface ReceivedRequest {
  id: string
  receivedOn: string
  answered: number
  headers: Record<string, string>
  bodyBytes: number
  checks: { timestamp: boolean; headers: boolean; body: boolean }
  isRepeat: boolean
}
