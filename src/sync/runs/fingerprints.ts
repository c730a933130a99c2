import type { Answers, Connector, Pull } from '../../connectors/contract/contract.ts'
import type { Fingerprint } from '../../connectors/contract/reidentification.ts'
import type { Source } from '../../connectors/sources.ts'
import type { Db } from '../../store/db/database.ts'
import type { CompanyScope } from '../../store/records/account-matches.ts'
import type { CurrentAccount } from '../../store/records/records.ts'
import type { KnownAccount } from './account-matching.ts'
import { findShapeFault } from './normalize.ts'
import { openPage, type PageReader } from './raw-page-store.ts'
import { readItems } from './read-items.ts'

/** Where the accounts are from, and what reads them. */
interface AccountSource {
  source: Pick<Source, 'files' | 'description'>
  connector: Connector
}

/** Fingerprints of accounts, read from their stored raw records. */
export class FingerprintStore {
  readonly #reader: PageReader
  readonly #db: Db
  readonly #company: CompanyScope
  readonly #of: AccountSource
  /** Per page: raw accounts by their index. */
  readonly #pages = new Map<string, Map<number, unknown>>()

  constructor(reader: PageReader, db: Db, { instanceId, companyId }: CompanyScope, of: AccountSource) {
    this.#reader = reader
    this.#db = db
    this.#company = { instanceId, companyId }
    this.#of = of
  }

  async withFingerprints<T extends Pick<CurrentAccount, 'rawPageId' | 'rawIndex'>>(accounts: T[]): Promise<KnownAccount<T>[]> {
    const described: KnownAccount<T>[] = []
    for (const account of accounts) described.push({ account, fingerprint: await this.#fingerprint(account) })
    return described
  }

  async #fingerprint({ rawPageId, rawIndex }: Pick<CurrentAccount, 'rawPageId' | 'rawIndex'>): Promise<Fingerprint | null> {
    const wire = rawPageId === null ? undefined : (await this.#open(rawPageId)).get(rawIndex)
    return wire === undefined ? null : toFingerprint(this.#of.connector, wire)
  }

  async #open(rawPageId: string): Promise<Map<number, unknown>> {
    const known = this.#pages.get(rawPageId)
    if (known) return known
    const page = await openPage(this.#db, this.#reader, { ...this.#company, id: rawPageId })
    const pull = this.#of.connector.pulls.find(({ name }) => name === page?.pull)
    const accounts = page && pull ? await readAccounts(this.#of, pull, page.answers) : new Map<number, unknown>()
    this.#pages.set(rawPageId, accounts)
    return accounts
  }
}

async function readAccounts({ source, connector }: AccountSource, pull: Pull, answers: Answers): Promise<Map<number, unknown>> {
  const accounts = new Map<number, unknown>()
  let index = 0
  for await (const items of readItems(source, connector, pull, answers)) {
    for (const item of items) {
      if (item.entity === 'Accounts' && 'wire' in item) accounts.set(index, item.wire)
      index += 1
    }
  }
  return accounts
}

/** Null where nothing distinguishes the account from others. */
export function toFingerprint(connector: Connector, wire: unknown): Fingerprint | null {
  if (!connector.reidentify || findShapeFault(connector.entities.Accounts, wire) !== null) return null
  const fingerprint = connector.reidentify.account(wire)
  return fingerprint.persistentId === null && fingerprint.descriptions.length === 0 ? null : fingerprint
}
