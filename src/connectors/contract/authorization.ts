import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import type { Credentials, Grant } from './grant.ts'
import type { Kit } from './kit.ts'
import type { Answers, SourceItem } from './pulls.ts'

export interface RedirectAuthorization {
  step: 'redirect'
  /**
   * URL for the owner's browser. `memo` is stored sealed and passed to `complete`. Put `state` where the source returns
   * it. `match` is a value that the source's webhook repeats when the owner has finished, in case the browser never
   * comes back.
   */
  start(kit: Kit, request: RedirectRequest): Promise<{ url: string; memo?: Json; match?: string }>
  /**
   * Called with the callback's query, after `state` has been checked, or with an empty one when the source's webhook
   * came first: then again as long as it throws `unavailable` or `rateLimited`. Must not trust the query for more than
   * a handle.
   */
  complete(kit: Kit, request: RedirectCompletion): Promise<Grant[]>
}

export interface RedirectRequest {
  /** Our fixed callback URL; the source returns to it with `state` in the query. */
  callbackUrl: string
  state: string
  locale: Locale
  /** URL for the source's webhooks. */
  webhookUrl: string
  /** Opaque id of the company, the same at each authorization. */
  companyId: string
  /** Bank chosen by the owner from the directory, for aggregators. */
  institutionId?: string
  /** Present for the repair of an existing connection. */
  reconnect?: Credentials
}

export interface RedirectCompletion {
  callbackUrl: string
  /** Callback query; for a widget, with the fields of its glue. */
  query: Record<string, string>
  memo: Json
  /** Present for the repair of an existing connection. */
  reconnect?: Credentials
}

/** Like a redirect, except that the owner stays on our page, where the provider's script opens its window. */
export interface WidgetAuthorization {
  step: 'widget'
  start(kit: Kit, request: RedirectRequest): Promise<{ widget: Widget; memo?: Json; match?: string }>
  /**
   * Called once, after `state` has been checked. The browser's fields are at most a handle, to be verified at the
   * source.
   */
  complete(kit: Kit, request: RedirectCompletion): Promise<Grant[]>
}

/** Description of a provider's widget for our page. The content security policy allows no other origin. */
export interface Widget {
  /** URL of the provider's script; null for a provider whose window is only a frame, created by the glue. */
  script: string | null
  /**
   * Origins (`https://js.example.com`, `https://*.example.com`) that the script loads from, frames or calls, besides
   * its own.
   */
  origins: readonly string[]
  /**
   * Glue: JavaScript of ours, the body of `async (params, finish, cancel) => void`, run once the provider's script has
   * been loaded. It opens the provider's window and calls `finish(fields)` with names and values for
   * `RedirectCompletion.query` (at most 20, none of more than 8,000 characters), or `cancel()`, which returns to the
   * previous step; an exception is shown as a window that could not be opened. Providers that need a container use the
   * element `#widget-place`. No `eval`, and nothing from elsewhere.
   */
  glue: string
  /** Parameters of the glue, visible to the owner's browser: never a key of the operator. */
  params: Record<string, string>
}

export interface FormAuthorization {
  step: 'form'
  fields: readonly FormField[]
  /**
   * Tries the values at the source. Throws `InputRefused` for what the owner can correct. `reconnect` is present for
   * the repair of an existing connection; only sources that do not identify an owner need it, to compare.
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
  /** File name extensions for the browser's picker. */
  accept: readonly string[]
  /** Maximum size in bytes. */
  maxBytes: number
  /** Module whose export `reader` is a `FileReader`: loaded in a worker thread per file, apart from the server. */
  reader: URL
}

/** Reader of uploaded files. Pure: no clock, network, store or state. */
export interface FileReader {
  /** Validates the file; throws `InputRefused` with fault and position when nothing of it can be imported. */
  examine(bytes: Uint8Array): Examined
  /** The `read` of the connector's pull. */
  read(answers: Answers): Iterable<SourceItem>
}

/** File of which at least a part can be imported. */
export interface Examined {
  grant: Grant
  /** Omitted parts, as texts for the owner; empty when all of it can be imported. */
  leftOut: readonly LocalizedText[]
}

/** Thrown for unusable input of the owner; `text` is shown unchanged, beside `field` if one is at fault. */
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
