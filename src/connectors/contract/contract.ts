import type { TSchema } from 'typebox'
import type { Category, Entity } from '../../model/catalogue.ts'
import type { Json } from '../../model/values/json.ts'
import type { AppKeyText } from './app-key-texts.ts'
import type { FormAuthorization, RedirectAuthorization, UploadAuthorization, WidgetAuthorization } from './authorization.ts'
import type { Credentials } from './grant.ts'
import type { Hint, WebhookRequest } from './hints.ts'
import type { Kit } from './kit.ts'
import type { SourceLimit } from './limits.ts'
import type { AnyMapping } from './mapping.ts'
import type { Pull, Session } from './pulls.ts'
import type { Reidentification } from './reidentification.ts'

export type { Credentials, Grant } from './grant.ts'
export { type HttpRequest, type HttpResponse, type Kit, type ReconnectReason, SourceError } from './kit.ts'
export type { Answers, Page, Pull, Session, SourceFile, SourceItem } from './pulls.ts'

/**
 * Contract between the engine and a source. The folder of a source contains: `index.ts` (the description, light, loaded
 * at start), `client.ts` (every HTTP call; exports the `Connector`), `wire.ts` (the source's shapes), `map.ts` (wire →
 * normalized, pure). A connector is stateless and does I/O only through its kit.
 */
export interface ConnectorDescription {
  /** Lower-case word; the folder's name. The service id is derived from it, so it never changes. */
  key: string
  /** Folder, where several connectors share one. */
  folder?: string
  /** Profile of which it is made, plain JSON: with it and the folder a thread makes the connector again. */
  profile?: object
  name: string
  title: string
  description: { 'en-CA': string; 'fr-CA': string }
  category: Category
  /** Route to the source. */
  route: 'app' | 'aggregator' | 'core' | 'direct'
  entities: readonly Entity[]
  link: 'redirect' | 'widget' | 'form' | 'upload'
  /** Whether the connector has a directory of institutions; its connections then belong to child services. */
  hasInstitutions?: boolean
  /** Names of the operator's keys (`clientId`, …). Without them the sandbox uses the source's simulator. */
  appKeys: readonly string[]
  /** Optional keys of the operator; the connector's README describes their effect. */
  optionalAppKeys?: readonly string[]
  /** Key that identifies the app at the source, for rate limits; default: `clientId`, or else the first. */
  appName?: string
  /** Descriptions of keys to which the common ones of `app-key-texts.ts` do not apply. */
  appKeyTexts?: Readonly<Record<string, AppKeyText>>
  /** Default URLs of the source, by name; the sandbox replaces them by those of the simulator. */
  hosts: Record<string, string>
  /** Rate limits; absent where the source publishes none. */
  limits?: readonly SourceLimit[]
  /** Fictional: offered to test instances of a sandbox only. */
  isExample?: true
  /** Webhooks are unsigned: sent to a URL with a secret part, and only hints, to be verified at the source. */
  unsignedWebhooks?: true
  /** Interval of scheduled refreshes in hours. */
  refreshHours: number
  /** Days after which unused credentials expire at the source; they are kept alive. Absent: they do not. */
  idleDays?: number
  load(): Promise<Connector>
}

export interface Connector {
  authorize: RedirectAuthorization | WidgetAuthorization | FormAuthorization | UploadAuthorization
  /**
   * Key check without an owner: throws `SourceError` with `isClientRefused` when the source rejects the keys of
   * `kit.app`, another one when the result is unknown. Absent where the source has no such check.
   */
  checkApp?(kit: Kit): Promise<void>
  /** Absent when credentials never expire. Called when `Credentials.expiresAt` is near, or after a 401. */
  refreshCredentials?(kit: Kit, credentials: Credentials): Promise<Credentials>
  /** Run one after the other in each sync. */
  pulls: readonly Pull[]
  entities: { Accounts: EntityMapping; Transactions?: EntityMapping }
  /** Present when a reconnect may change the ids of known accounts. */
  reidentify?: Reidentification
  /** Revokes the access at the source. Called after our own data is closed to readers. */
  disconnect?(kit: Kit, credentials: Credentials): Promise<void>
  /** Directory of an aggregator, one page per call; `cursor` is null at first. */
  listInstitutions?(kit: Kit, cursor: Json | null): Promise<InstitutionPage>
  /** Ids of the institutions that the source itself ranks as most popular, in its order. */
  listPopularInstitutions?(kit: Kit): Promise<string[]>
  /**
   * Verifies the signature of a provider's webhook and returns its hints. Throws `SourceError('reconnect')` on a bad
   * signature. For a source with `unsignedWebhooks`, only called for the secret URL.
   */
  readWebhook?(kit: Kit, request: WebhookRequest): Promise<Hint[]>
  /**
   * Response to a handshake that the source requires before it sends webhooks; null if the query is not a handshake.
   */
  answerHandshake?(query: Readonly<Record<string, string>>): string | null
  /**
   * Subscribes this connection's webhooks to `webhookUrl`, or renews the subscription, for sources with one per
   * connection. Called after each sync, so a subscription has to outlive the time between two; a failure costs only the
   * hints.
   */
  subscribe?(session: Session, webhookUrl: string): Promise<void>
}

/** Model types by category and entity. */
export interface EntityMapping {
  /** Schema of one record; unknown properties and unknown enum values are allowed. */
  wire: TSchema
  map: AnyMapping
}

export interface Institution {
  id: string
  name: string
  /** Two-letter codes, upper case. */
  countries: string[]
  routingNumbers: string[]
  url: string | null
}

export interface InstitutionPage {
  institutions: Institution[]
  next: Json | null
}
