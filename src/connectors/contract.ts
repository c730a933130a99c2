import type { TSchema } from 'typebox'
import type { AccountingAccount, AccountingTransaction } from '../model/accounting.ts'
import type { BankAccount, BankTransaction } from '../model/banking.ts'
import type { Category, Entity } from '../model/catalogue.ts'
import type { Json } from '../model/json.ts'
import type { Locale, LocalizedText } from '../model/text.ts'
import type { SourceLimit } from './limits.ts'

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

export interface RedirectAuthorization {
  step: 'redirect'
  /**
   * Where to send the owner's browser. `memo` is kept sealed and handed to `complete`. Put `state` where the source returns it.
   * `match` is a value that the source's webhook repeats when the owner has finished, should the browser never come back.
   */
  start(kit: Kit, request: RedirectRequest): Promise<{ url: string; memo?: Json; match?: string }>
  /** Called once with the callback's query, after `state` has been checked. Never trusts the query for more than a handle. */
  complete(kit: Kit, request: RedirectCompletion): Promise<Grant[]>
}

export interface RedirectRequest {
  /** Our fixed address; the source comes back here with `state` in the query. */
  callbackUrl: string
  state: string
  locale: Locale
  /** Where the source's webhooks may be sent. */
  webhookUrl: string
  /** Opaque id of the company, the same at each authorization. */
  companyId: string
  /** The bank that the owner chose from the directory, for aggregators. */
  institutionId?: string
  /** Present when an existing connection is to be repaired. */
  reconnect?: Credentials
}

export interface RedirectCompletion {
  callbackUrl: string
  /** What came back with the browser: the callback's query, for a widget with the fields that its glue handed over. */
  query: Record<string, string>
  memo: Json
  /** Present when an existing connection is to be repaired. */
  reconnect?: Credentials
}

/** As a redirect, only that the owner stays on a page of ours, on which the provider's script opens its window. */
export interface WidgetAuthorization {
  step: 'widget'
  start(kit: Kit, request: RedirectRequest): Promise<{ widget: Widget; memo?: Json; match?: string }>
  /** Called once, after `state` has been checked. What the browser hands over is at most a handle, to be asked about at the source. */
  complete(kit: Kit, request: RedirectCompletion): Promise<Grant[]>
}

/** What the page of ours that shows a provider's widget needs to know. The page is told of nothing else: no other origin is let in. */
export interface Widget {
  /** Address of the provider's script; null for a provider whose window is a frame alone, which the glue makes. */
  script: string | null
  /** Origins (`https://js.example.com`, `https://*.example.com`) beside the script's own that it loads from, shows or calls. */
  origins: readonly string[]
  /**
   * JavaScript of ours, the body of `async (params, finish, cancel) => void`, run once the provider's script has been loaded. It opens the
   * provider's window and calls `finish(fields)` with names and values that are to arrive in `RedirectCompletion.query` (at most 20, none
   * of more than 8,000 characters), or `cancel()`, which leads back to the step before; what it throws is shown as a window that could not
   * be opened. Providers that want a place in the page find the element `#widget-place`. No `eval`, and nothing from elsewhere.
   */
  glue: string
  /** Handed to the glue. Whatever the owner's browser may know: never a key of the operator. */
  params: Record<string, string>
}

export interface FormAuthorization {
  step: 'form'
  fields: readonly FormField[]
  /**
   * Tries the values at the source. Throws `InputRefused` for what the owner can mend. `reconnect` is there when an existing connection is
   * to be repaired; only sources that do not name an owner need it, to tell whether it is the same one.
   */
  submit(kit: Kit, values: Record<string, string>, reconnect?: Credentials): Promise<Grant>
}

export interface FormField {
  name: string
  type: 'text' | 'url' | 'password'
  label: LocalizedText
  hint?: LocalizedText
  required: boolean
  autocomplete?: string
}

export interface UploadAuthorization {
  step: 'upload'
  /** File name endings offered to the browser's picker. */
  accept: readonly string[]
  /** At most this many bytes. */
  maxBytes: number
  /** Reads the file through; throws `InputRefused` that names what is wrong and where. */
  examine(file: SourceFile): Promise<Grant>
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

/** How accounts are known again when a reconnect has given them other ids. */
export interface Reidentification {
  /** Reads a record that fits the `wire` of accounts. */
  account(wire: never): Fingerprint
  /** Their transactions get other ids too: they are then known by account, day, amount and description. */
  renumbersTransactions: boolean
}

/** What an account is known by, whatever its id. Never a full account number. */
export interface Fingerprint {
  /** The source's own id that outlives a reconnect; two different ones are two accounts. Null where it gives none. */
  persistentId: string | null
  /**
   * What describes the account, from the most to the least exact; as many for each account, none where nothing tells it from others. Believed
   * only where one account alone fits on either side.
   */
  descriptions: readonly string[]
}

export type NormalizedRecord = AccountingAccount | AccountingTransaction | BankAccount | BankTransaction

/** What a mapping function may ask besides its record. */
export interface MapContext {
  /** When the page was received; the same on replay. */
  fetchedAt: Date
  /** Reports a word that the mapping does not know; it is counted, the record survives. */
  unmapped(field: string, word: string): void
}

/** One function per normalized field. Over a recording proxy it explains which raw paths each field was read from. */
export type Mapping<Wire, Model> = { readonly [Field in keyof Model]-?: (wire: Wire, context: MapContext) => Model[Field] }

/** A mapping whose wire type was checked by `mapping` and is opaque to the engine. */
export interface AnyMapping {
  /** Raised whenever a change of the mapping may change a result. */
  version: number
  fields: Readonly<Record<string, (wire: never, context: MapContext) => unknown>>
  /** Where the functions are made of rules in a file: the rule of a field, shown in explanations in place of code. */
  describe?(field: string, wire: never): string
}

export function mapping<Wire, Model extends NormalizedRecord>(version: number, fields: Mapping<Wire, Model>): AnyMapping {
  return { version, fields }
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

export interface WebhookRequest {
  /** Names in lower case. */
  headers: Record<string, string>
  /** The very bytes that came. */
  body: Uint8Array
}

/** What a provider's webhook says; always checked by asking the source. */
export type Hint =
  | { kind: 'changed'; reference: string }
  | { kind: 'reconnect'; reference: string }
  /** An authorization that we started has been finished; `memoMatch` is the `match` of its start. */
  | { kind: 'linked'; memoMatch: string }

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
 * A failure at the source. The kind decides what happens next: `reconnect` asks the owner, `rateLimited` waits, `unavailable` tries
 * again, `badData` tries again and then stops. Messages carry codes and counts, never tokens, numbers or names.
 */
export class SourceError extends Error {
  readonly kind: 'reconnect' | 'rateLimited' | 'unavailable' | 'badData'
  /** With `rateLimited`: how long to wait at least. */
  readonly retryAfterMs: number | null
  /** The source refused the operator's keys: no connection is to blame, and asking for another one gives the same answer. */
  readonly isClientRefused: boolean

  constructor(
    kind: SourceError['kind'],
    message: string,
    options: { retryAfterMs?: number; isClientRefused?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SourceError'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isClientRefused = options.isClientRefused ?? false
  }
}

/** What the owner typed or uploaded cannot be used; `text` is shown to the owner as it is, beside `field` where one is to blame. */
export class InputRefused extends Error {
  readonly text: LocalizedText
  readonly field: string | null

  constructor(text: LocalizedText, field: string | null = null) {
    super(text.en)
    this.name = 'InputRefused'
    this.text = text
    this.field = field
  }
}
