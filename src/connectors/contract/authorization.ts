import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import type { Answers, Credentials, Grant, Kit, SourceItem } from './contract.ts'

export interface RedirectAuthorization {
  step: 'redirect'
  /**
   * Where to send the owner's browser. `memo` is kept sealed and handed to `complete`. Put `state` where the source returns it.
   * `match` is a value that the source's webhook repeats when the owner has finished, should the browser never come back.
   */
  start(kit: Kit, request: RedirectRequest): Promise<{ url: string; memo?: Json; match?: string }>
  /**
   * Called with the callback's query, after `state` has been checked, or with an empty one when the source's webhook came first: then again
   * as long as it throws `unavailable` or `rateLimited`. Never trusts the query for more than a handle.
   */
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
  /** Module whose export `reader` is a `FileReader`: it is loaded by a thread for each file, apart from whoever answers requests. */
  reader: URL
}

/** Reads what owners hand in. Pure: no clock, no network, no store, nothing kept. */
export interface FileReader {
  /** Reads the file through; throws `InputRefused` that names what is wrong and where when nothing of it can be taken. */
  examine(bytes: Uint8Array): Examined
  /** The `read` of the connector's pull. */
  read(answers: Answers): Iterable<SourceItem>
}

/** A file of which something can be taken. */
export interface Examined {
  grant: Grant
  /** What is left out of it, in words for the owner; empty when all of it can be taken. */
  leftOut: readonly LocalizedText[]
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
