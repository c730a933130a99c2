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
 * The contract between the engine and a source. A folder per source holds: `index.ts` (the description, light, loaded at start),
 * `client.ts` (every HTTP call; exports the `Connector`), `wire.ts` (the source's shapes), `map.ts` (wire → normalized, pure).
 * A connector keeps no state and does no I/O but through its kit.
 */
export interface ConnectorDescription {
  /** Lower-case word; the folder's name. The service id is derived from it, so it never changes. */
  key: string
  /** The folder in which it lies, where several share one. */
  folder?: string
  name: string
  title: string
  description: { 'en-CA': string; 'fr-CA': string }
  category: Category
  /** How the source is reached. */
  route: 'app' | 'aggregator' | 'core' | 'direct'
  entities: readonly Entity[]
  link: 'redirect' | 'widget' | 'form' | 'upload'
  /** Whether the connector offers a directory of institutions; its connections then belong to child services. */
  hasInstitutions?: boolean
  /** Names of the operator's keys for this source (`clientId`, …). A source with missing keys is served by its simulator, in the sandbox only. */
  appKeys: readonly string[]
  /** Further keys that the operator may set; the source works without them. What each does stands in the connector's README. */
  optionalAppKeys?: readonly string[]
  /** Which of the keys names the app at the source, as rate limits count it; left out: `clientId`, or else the first. */
  appName?: string
  /** What a key is, for whoever has to find it at the source, where the common words of `app-key-texts.ts` do not fit. */
  appKeyTexts?: Readonly<Record<string, AppKeyText>>
  /** Default addresses of the source, by name; the sandbox replaces them by those of the simulator. */
  hosts: Record<string, string>
  /** What the source allows; left out where it publishes nothing. */
  limits?: readonly SourceLimit[]
  /**
   * The source does not sign its webhooks: they come to an address with a secret part that only the source and we know, and what they say is
   * a hint, to be asked about there.
   */
  unsignedWebhooks?: true
  /** Time between two scheduled refreshes. */
  refreshHours: number
  /** Days after which credentials that nobody refreshed end at the source; they are kept alive. Left out: they do not. */
  idleDays?: number
  load(): Promise<Connector>
}

export interface Connector {
  authorize: RedirectAuthorization | WidgetAuthorization | FormAuthorization | UploadAuthorization
  /**
   * Asks the source, without any owner, whether it takes the keys of `kit.app`. Throws `SourceError` with `isClientRefused` when it refuses
   * them, another when that could not be found out. Absent where the source tells nobody but an owner.
   */
  checkApp?(kit: Kit): Promise<void>
  /** Absent when credentials never expire. Asked when `Credentials.expiresAt` is near or a call answered 401. */
  refreshCredentials?(kit: Kit, credentials: Credentials): Promise<Credentials>
  /** Run one after the other in each sync. */
  pulls: readonly Pull[]
  entities: { Accounts: EntityMapping; Transactions?: EntityMapping }
  /** Present where a reconnect may give known accounts other ids. */
  reidentify?: Reidentification
  /** Tells the source that we are leaving (revoke, remove). Called once, after our own data is closed to readers. */
  disconnect?(kit: Kit, credentials: Credentials): Promise<void>
  /** The directory of an aggregator, one page a call; `cursor` is null at first. */
  listInstitutions?(kit: Kit, cursor: Json | null): Promise<InstitutionPage>
  /** Ids of those that the source itself names as the most popular, in its order. */
  listPopularInstitutions?(kit: Kit): Promise<string[]>
  /**
   * Checks a provider's webhook against its signature and says what it hints at. Throws `SourceError('reconnect')` on a bad signature. Of a
   * source with `unsignedWebhooks` only those get here that came to the secret address.
   */
  readWebhook?(kit: Kit, request: WebhookRequest): Promise<Hint[]>
  /** What the source wants to hear once before it sends webhooks to an address; null when the query asks nothing of the kind. */
  answerHandshake?(query: Readonly<Record<string, string>>): string | null
  /**
   * Asks the source to send webhooks for this connection to `webhookUrl`, or to go on doing so: for sources where each connection asks for
   * itself. Called after each sync, so a subscription has to outlive the time between two; failing costs nothing but the hints.
   */
  subscribe?(session: Session, webhookUrl: string): Promise<void>
}

/** Secrets of one connection; sealed before they are stored. */
export interface Credentials {
  secret: Json
  /** ISO 8601 instant after which a refresh is due, or null when they do not expire. */
  expiresAt: string | null
}

/** What an authorization gave us. One connection each. */
export interface Grant {
  credentials: Credentials
  /** Which books or which bank login: a reconnect must name the same `id`. */
  entity: { id: string; name: string }
  /** Present for aggregators: the bank, which becomes the child service. */
  institution?: { id: string; name: string }
  /** The source's own handle for this connection, as its webhooks name it. */
  reference?: string
  /** E-mail address of the person who authorized, where the source tells. */
  email?: string
}

export interface SourceFile {
  id: string
  name: string
  bytes: Uint8Array
}

/** Named answers of the source that make up one page, bytes as received. They are stored, sealed, and read again on replay. */
export type Answers = Record<string, Uint8Array>

export interface Pull {
  name: string
  delivers: readonly Entity[]
  /** Network only: fetches the page at `cursor` (null: the first page of a first run, or what `resume` said last time). */
  fetch(session: Session, cursor: Json | null): Promise<Page>
  /** Pure: turns stored answers into records. A broken envelope throws `SourceError('badData')`; it never looks like an empty list. */
  read(answers: Answers): Iterable<SourceItem>
}

export interface Session {
  kit: Kit
  credentials: Credentials
  /** The entity id of the grant. */
  entityId: string
  /** Files that were handed in, oldest first, for `upload` sources; null when there is none after that one. */
  nextFile(after: string | null): Promise<SourceFile | null>
}

export interface Page {
  answers: Answers
  /** Cursor of the next page of this run; null when this was the last. */
  next: Json | null
  /** On the last page: the cursor that the next run starts with. Left out: the next run starts anew. */
  resume?: Json
  /** Whether the pages of this run list everything (then what is missing was deleted) or only changes. */
  listing: 'complete' | 'changes'
}

export type SourceItem =
  | {
      entity: Entity
      origId: string
      /** Checked by the engine against the entity's `wire` schema; one that fails is set aside with the reason. */
      wire: unknown
      /** Orders versions of one record where the source gives such a thing (ISO instant or zero-padded number): an older one never wins. */
      version?: string
    }
  | { entity: Entity; origId: string; removed: true }
  /** What could not even be read as a record: set aside with the reason, in plain words without secrets. */
  | { entity: Entity; origId: string | null; unreadable: string }

/** Model types by category and entity. */
export interface EntityMapping {
  /** Schema of one record; unknown properties and unknown words are allowed. */
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

/** The only way out: a guarded HTTP client and what the operator set for this source. */
export interface Kit {
  /** Answers of any status are returned; what cannot be fetched (refused, reset, too slow, too big) throws `SourceError('unavailable')`. */
  http(request: HttpRequest): Promise<HttpResponse>
  /** The operator's keys for this source, named as in `appKeys`. */
  app: Readonly<Record<string, string>>
  /** Addresses of the source, named as in `hosts`; no trailing slash. */
  hosts: Readonly<Record<string, string>>
  now(): Date
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Whole request, 30 s when left out. */
  timeoutMs?: number
  /** Largest body taken, 10 MiB when left out. */
  maxBytes?: number
  /** A TLS client certificate and its key in PEM, shown to the server when it asks for one. */
  identity?: { certificate: string; privateKey: string }
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: Uint8Array
}

/**
 * Why an owner has to authorize anew, where it is more than that access was withdrawn: the consent has run out, the bank asks for a code or an
 * answer, the user name or password is another one, or what answers is not what was connected.
 */
export type ReconnectReason = 'consentExpired' | 'codeNeeded' | 'loginChanged' | 'otherEntity'

/**
 * A failure at the source. The kind decides what happens next: `reconnect` asks the owner, `rateLimited` waits, `unavailable` tries
 * again, `badData` tries again and then stops. Messages carry codes and counts, never tokens, numbers or names.
 */
export class SourceError extends Error {
  readonly kind: 'reconnect' | 'rateLimited' | 'unavailable' | 'badData'
  /** With `rateLimited`: how long to wait at least. */
  readonly retryAfterMs: number | null
  /** The source refused the operator's keys: no connection is to blame, and asking for another one gives the same answer. */
  readonly isClientRefused: boolean
  /** With `reconnect`: why the owner has to act, where the source says so. */
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
