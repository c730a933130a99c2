import type { Json } from '../../model/values/json.ts'

/** Secrets of one connection; sealed before they are stored. */
export interface Credentials {
  secret: Json
  /** ISO 8601 instant after which a refresh is due; null when they do not expire. */
  expiresAt: string | null
}

/** Result of an authorization. One connection each. */
export interface Grant {
  credentials: Credentials
  /** Books or bank login: a reconnect must have the same `id`. */
  entity: { id: string; name: string }
  /** Present for aggregators: the bank, which becomes the child service. */
  institution?: { id: string; name: string }
  /** The source's own handle for this connection, as its webhooks name it. */
  reference?: string
  /** E-mail address of the authorizing person, where the source reports it. */
  email?: string
}
