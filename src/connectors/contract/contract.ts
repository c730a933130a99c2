import type { TSchema } from 'typebox'
import type { Category, Entity } from '../../model/catalogue.ts'
import type { Json } from '../../model/values/json.ts'
import type { AppKeyText } from './app-key-texts.ts'
import type { FormAuthorization, RedirectAuthorization, UploadAuthorization, WidgetAuthorization } from './authorization.ts'
import type { Hint, WebhookRequest } from './hints.ts'
import type { SourceLimit } from './limits.ts'
import type { AnyMapping } from './mapping.ts'
import type { Reidentification } from './reidentification.ts'

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
  name: string
  title: string
  description: { 'en-CA': string; 'fr-CA': string }
  category: Category
  /** How the source is reached. */
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
  /** Response to a handshake that the source requires before it sends webhooks; null when the query is none. */
  answerHandshake?(query: Readonly<Record<string, string>>): string | null
  /**
   * Subscribes this connection's webhooks to `webhookUrl`, or renews the subscription, for sources with one per
   * connection. Called after each sync, so a subscription has to outlive the time between two; a failure costs only the
   * hints.
   */
  subscribe?(session: Session, webhookUrl: string): Promise<void>
}

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

export interface SourceFile {
  id: string
  name: string
  bytes: Uint8Array
}

/** Named responses of the source that make up one page, bytes as received. Stored, sealed, and read again on replay. */
export type Answers = Record<string, Uint8Array>

export interface Pull {
  name: string
  delivers: readonly Entity[]
  /** Network only: fetches the page at `cursor` (null: the first page of a first run; otherwise the last `resume`). */
  fetch(session: Session, cursor: Json | null): Promise<Page>
  /** Pure: stored answers to records. A malformed envelope throws `SourceError('badData')`: it is no empty list. */
  read(answers: Answers): Iterable<SourceItem>
}

export interface Session {
  kit: Kit
  credentials: Credentials
  /** Entity id of the grant. */
  entityId: string
  /** Next uploaded file after `after`, oldest first, for `upload` sources; null at the end. */
  nextFile(after: string | null): Promise<SourceFile | null>
}

export interface Page {
  answers: Answers
  /** Cursor of the next page of this run; null on the last. */
  next: Json | null
  /** On the last page: start cursor of the next run. Absent: the next run starts from the beginning. */
  resume?: Json
  /** Whether the pages of this run list everything (then missing records were deleted) or only changes. */
  listing: 'complete' | 'changes'
}

export type SourceItem =
  | {
      entity: Entity
      origId: string
      /** Validated by the engine against the entity's `wire` schema; an invalid record is quarantined. */
      wire: unknown
      /** Orders versions of a record (ISO instant or zero-padded number): an older one never wins. */
      version?: string
    }
  | { entity: Entity; origId: string; removed: true }
  /** Item that is not even a record: quarantined with the reason, in plain English without secrets. */
  | { entity: Entity; origId: string | null; unreadable: string }

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

/** Kit: a guarded HTTP client, the only way out, and the operator's settings for this source. */
export interface Kit {
  /**
   * Responses of any status are returned; failures (refused, reset, timeout, too large) throw
   * `SourceError('unavailable')`.
   */
  http(request: HttpRequest): Promise<HttpResponse>
  /** Operator's keys for this source, named as in `appKeys`. */
  app: Readonly<Record<string, string>>
  /** URLs of the source, named as in `hosts`; no trailing slash. */
  hosts: Readonly<Record<string, string>>
  now(): Date
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Deadline of the whole request; default 30 s. */
  timeoutMs?: number
  /** Maximum body size; default 10 MiB. */
  maxBytes?: number
  /** TLS client certificate and its key in PEM, for servers that request one. */
  identity?: { certificate: string; privateKey: string }
}

export interface HttpResponse {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  body: Uint8Array
}

/**
 * Why an owner has to authorize again, where it is more than a revoked access: the consent has expired, the bank
 * requires a code or an answer, user name or password changed, or the source is not the entity that was connected.
 */
export type ReconnectReason = 'consentExpired' | 'codeNeeded' | 'loginChanged' | 'otherEntity'

/**
 * Failure at the source. The kind decides what happens next: `reconnect` asks the owner, `rateLimited` waits,
 * `unavailable` retries, `badData` retries and then stops. Messages contain codes and counts, never tokens, numbers or
 * names.
 */
export class SourceError extends Error {
  readonly kind: 'reconnect' | 'rateLimited' | 'unavailable' | 'badData'
  /** With `rateLimited`: minimum wait. */
  readonly retryAfterMs: number | null
  /** The source rejected the operator's keys: no connection is at fault, and any other would get the same response. */
  readonly isClientRefused: boolean
  /** With `reconnect`: why the owner has to act, where the source reports it. */
  readonly reason: ReconnectReason | null

  constructor(
    kind: SourceError['kind'],
    message: string,
    options: { retryAfterMs?: number; isClientRefused?: boolean; reason?: ReconnectReason | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SourceError'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isClientRefused = options.isClientRefused ?? false
    this.reason = options.reason ?? null
  }
}
