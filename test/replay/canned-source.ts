import type { Answers, Connector } from '../../src/connectors/contract/contract.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { SOURCE_PAGES, type SourcePage } from '../explain/source-pages.ts'
import { ScriptedSource } from '../sync/scripted-source.ts'

/**
 * A connector of the product whose source returns the pages of its fixtures; its reading and mapping are the real
 * ones.
 */
export class CannedSource extends ScriptedSource {
  readonly #real: Connector
  readonly #pages: readonly SourcePage[]

  static async of(key: string, pages: readonly SourcePage[] = SOURCE_PAGES): Promise<CannedSource> {
    const description = connectors.find((one) => one.key === key)
    if (!description) throw new Error(`unknown connector ${key}`)
    return new CannedSource(key, description.category, await description.load(), pages)
  }

  constructor(key: string, category: 'Accounting' | 'Banking', real: Connector, pages: readonly SourcePage[]) {
    super(key, category)
    this.#real = real
    this.#pages = pages
  }

  override get connector(): Connector {
    const { authorize, refreshCredentials, ...rest } = super.connector
    return {
      ...rest,
      authorize,
      ...(refreshCredentials ? { refreshCredentials } : {}),
      entities: this.#real.entities,
      pulls: this.#real.pulls.map((pull) => ({
        ...pull,
        fetch: async (_session, cursor) => {
          const place = typeof cursor === 'number' ? cursor : 0
          const pages = this.#pagesOf(pull.name)
          const isLast = place + 1 >= pages.length
          return { answers: pages[place] ?? {}, next: isLast ? null : place + 1, listing: 'complete' }
        },
      })),
    }
  }

  #pagesOf(pull: string): Answers[] {
    return this.#pages.filter((page) => page.connector === this.description.key && page.pull === pull).map(({ answers }) => answers)
  }
}
