import type { Role } from './types.ts'

/** Answers about webhooks, people, queues and the sandbox. */
export interface Subscription {
  id: string
  event: string
  callbackUrl: string
  status: 'active' | 'disabled'
  disabledReason: 'gone' | 'failing' | null
  failingSince: string | null
  createdOn: string
}

export interface SecretState {
  id: string
  signs: 'bodyAndHeaders' | 'headers'
  signsBodiesFrom: string
  endsOn: string | null
}

export interface Delivery {
  id: string
  eventId: string
  kind: string
  subscriptionId: string
  status: 'pending' | 'delivered' | 'failed'
  attemptCount: number
  createdOn: string
  deliveredOn: string | null
  nextAttemptOn: string | null
  attempts: { number: number; startedAt: string; durationMs: number; httpStatus: number | null; error: string | null; response: string }[]
}

export interface FeedEvent {
  Class: string
  MessageType: string
  Identifier: string
  Data: Record<string, unknown>
}

export interface Feed {
  data: FeedEvent[]
  cursor: string | null
  hasMore: boolean
}

export interface User {
  id: string
  email: string
  name: string
  role: Role
  isEnabled: boolean
  twoStepVerify: boolean
  /** When a link that was mailed to the address was used. */
  emailProvenOn: string | null
  createdOn: string
}

export interface AuditEntry {
  position: number
  recordedOn: string
  action: string
  userId: string | null
  subject: string | null
  details: Record<string, string | number | boolean>
}

export interface Simulator {
  key: string
  url: string
  faults: string[]
  armed: { name: string; times: number }[]
  clockMovedSeconds: number
}

export interface Queue {
  kind: string
  waiting: number
  running: number
  dead: number
  lagSeconds: number
}

export interface DeadJob {
  id: string
  kind: string
  key: string
  provider: string
  attempts: number
  error: string
  diedOn: string
}

export interface InstitutionRequest {
  id: string
  serviceId: string
  name: string
  country: string
  url: string
  note: string
  state: 'open' | 'answered'
  answer: string
  requestedBy: string
  createdOn: string
}
