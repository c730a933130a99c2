import type { Connector } from '../../connectors/contract/contract.ts'
import type { Source } from '../../connectors/sources.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import type { CompanyAccountRow } from '../../store/records/company-accounts.ts'
import type { Catalogue, Store, Vault } from '../context/groups.ts'
import { openPage } from '../runs/raw-page-store.ts'
import { readItems } from '../runs/read-items.ts'
import { findService } from '../sources/catalogue.ts'

/** Full account numbers, read from their sealed pages each time; they are compared in memory and never stored. */
export class FullNumbers {
  readonly #deps: Store & Vault & Catalogue
  readonly #company: CompanyScope
  readonly #sources = new Map<string, { source: Source; connector: Connector } | null>()
  /** By page: numbers by the index of their record. */
  readonly #pages = new Map<string, Map<number, readonly string[]>>()

  constructor(deps: Store & Vault & Catalogue, company: CompanyScope) {
    this.#deps = deps
    this.#company = company
  }

  /** Empty if the source gives none, or the page no longer exists. */
  async of({
    serviceId,
    rawPageId,
    rawIndex,
  }: Pick<CompanyAccountRow, 'serviceId' | 'rawPageId' | 'rawIndex'>): Promise<readonly string[]> {
    if (rawPageId === null) return []
    const page = this.#pages.get(rawPageId) ?? (await this.#read(serviceId, rawPageId))
    this.#pages.set(rawPageId, page)
    return page.get(rawIndex) ?? []
  }

  async #read(serviceId: string, rawPageId: string): Promise<Map<number, readonly string[]>> {
    const numbers = new Map<number, readonly string[]>()
    const of = await this.#load(serviceId)
    const page = of && (await openPage(this.#deps.database, this.#deps, { ...this.#company, id: rawPageId }))
    const pull = page && of.connector.pulls.find(({ name }) => name === page.pull)
    if (!page || !pull) return numbers
    let index = 0
    for await (const items of readItems(of.source, of.connector, pull, page.answers)) {
      for (const item of items) {
        if ('numbers' in item && item.numbers && item.numbers.length > 0) numbers.set(index, item.numbers)
        index += 1
      }
    }
    return numbers
  }

  async #load(serviceId: string): Promise<{ source: Source; connector: Connector } | null> {
    const known = this.#sources.get(serviceId)
    if (known !== undefined) return known
    const service = await findService(this.#deps.database, this.#deps.sources, this.#company.instanceId, serviceId)
    const found = service && { source: service.source, connector: await service.source.load() }
    this.#sources.set(serviceId, found)
    return found
  }
}
