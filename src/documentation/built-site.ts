import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Parse } from 'typebox/value'
import { NOT_FOUND, type ServedFile, SiteDescription } from './pages/site.ts'

/** A built site: which files it has, and their bytes. Only files of its description can be read. */
export class BuiltSite {
  readonly description: SiteDescription
  readonly #folder: string
  readonly #files: ReadonlyMap<string, ServedFile>

  private constructor(folder: string, description: SiteDescription) {
    this.#folder = folder
    this.description = description
    this.#files = new Map(description.files.map((file) => [file.path, file]))
  }

  static async open(folder: string): Promise<BuiltSite> {
    return new BuiltSite(folder, Parse(SiteDescription, JSON.parse(await readFile(join(folder, 'site.json'), 'utf8'))))
  }

  /** The file of a decoded URL path; that of its Markdown, if asked for and it has one. */
  find(path: string, asMarkdown: boolean): ServedFile | null {
    const file = path === NOT_FOUND ? undefined : this.#files.get(path)
    if (file === undefined) return null
    return (asMarkdown && file.markdown !== undefined ? this.#files.get(file.markdown) : file) ?? null
  }

  /** The page for addresses that have none. */
  get notFound(): ServedFile {
    const file = this.#files.get(NOT_FOUND)
    if (file === undefined) throw new Error('the built documentation has no page for unknown addresses')
    return file
  }

  async read({ file, type }: Pick<ServedFile, 'file' | 'type'>, takesGzip: boolean): Promise<{ bytes: Buffer; isGzip: boolean }> {
    const isGzip = takesGzip && !type.startsWith('image/')
    return { bytes: await readFile(join(this.#folder, isGzip ? `${file}.gz` : file)), isGzip }
  }
}
