import type { ReferenceDocument } from '../api/reference/reference-schema.ts'
import type { BuiltSite } from './built-site.ts'
import type { ServedFile } from './pages/site.ts'
import type { RenderedPage } from './reference/rendered-reference.ts'

/** What is sent for an address. */
export interface Answer {
  type: string
  etag: string
  isImmutable: boolean
  read(takesGzip: boolean): Promise<{ bytes: Buffer; isGzip: boolean }>
}

const REFERENCE = /^\/docs\/reference(\/|\.md$|$)/

/** Built pages and the reference, as one site. */
export class Site {
  readonly #files: BuiltSite
  readonly #readDocument: () => Promise<ReferenceDocument>
  #rendered: Promise<ReadonlyMap<string, RenderedPage>> | null = null

  constructor(files: BuiltSite, readDocument: () => Promise<ReferenceDocument>) {
    this.#files = files
    this.#readDocument = readDocument
  }

  /** The page of a decoded URL path; its Markdown, if asked for and it has one. */
  async find(path: string, asMarkdown: boolean): Promise<Answer | null> {
    if (!REFERENCE.test(path)) {
      const file = this.#files.find(path, asMarkdown)
      return file === null ? null : this.#ofFile(file)
    }
    const pages = await this.#reference()
    const page = pages.get(path)
    const wanted = asMarkdown && page?.markdown !== undefined ? pages.get(page.markdown) : page
    return wanted === undefined ? null : ofPage(wanted)
  }

  /** The page for addresses that have none. */
  get notFound(): Answer {
    return this.#ofFile(this.#files.notFound)
  }

  #ofFile(file: ServedFile): Answer {
    return { ...file, read: async (takesGzip) => await this.#files.read(file, takesGzip) }
  }

  /** Rendered with the first request for it: many processes never get one. */
  #reference(): Promise<ReadonlyMap<string, RenderedPage>> {
    this.#rendered ??= this.#render().catch((error: unknown) => {
      this.#rendered = null
      throw error
    })
    return this.#rendered
  }

  async #render(): Promise<ReadonlyMap<string, RenderedPage>> {
    const { renderReference } = await import('./reference/rendered-reference.ts')
    return await renderReference(await this.#readDocument(), this.#files.description)
  }
}

function ofPage({ bytes, compressed, ...page }: RenderedPage): Answer {
  return { ...page, read: async (isGzip) => ({ bytes: isGzip ? compressed : bytes, isGzip }) }
}
