import { randomUUID } from 'node:crypto'
import type { Answers, Connector, Pull } from '../../src/connectors/contract/contract.ts'
import type { Source } from '../../src/connectors/sources.ts'
import { type Entity, toRecordId } from '../../src/model/catalogue.ts'
import { type Connection, findConnection } from '../../src/store/connections/connections.ts'
import { openRun, type RunReason, type SyncRun, saveProgress } from '../../src/store/connections/sync-runs.ts'
import { type Database, type Db, inTransaction } from '../../src/store/db/database.ts'
import type { Keys } from '../../src/store/keys/keys.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { openPageScope } from '../../src/sync/runs/aliases.ts'
import { normalizePage } from '../../src/sync/runs/normalize.ts'
import { idPrefix, stagePage } from '../../src/sync/runs/page-staging.ts'
import { preparePage, storePage } from '../../src/sync/runs/raw-page-store.ts'
import { NO_COUNTS } from '../../src/sync/runs/run-progress.ts'
import { SILENT, sourcesWithKits, syncDeps } from '../harness/app/sync-deps.ts'
import { addBooks, addVersion, type Books, minutesAfter } from '../records/record-store.ts'
import { type ListedAccount, type ListedMovement, RelinkedBank } from './relinked-bank.ts'

/** `old-1 1234/Name p1`: id, mask with a name, and a persistent id; all but the id may be left out, the mask as `-`. */
export function toAccount(text: string, balance = '10.50'): ListedAccount {
  const [id = '', told = '-', persistentId = null] = text.split(' ')
  const [mask = '', name = 'Operations'] = told.split('/')
  return { id, persistentId, mask: mask === '-' ? null : mask, kind: 'checking', name, officialName: null, currency: 'CAD', balance }
}

export function toMovement(id: string, accountId: string, more: Partial<ListedMovement> = {}): ListedMovement {
  return { id, accountId, day: '2026-11-10', amount: '-4.50', description: id, pending: false, ...more }
}

/** Rows of a page: accounts, transactions, or changes as the bank's movements list them. */
interface Rows {
  accounts?: readonly (ListedAccount | string)[]
  movements?: readonly ListedMovement[]
}

export const SERVICE_NAME = 'Relinked Bank of Tests'

/** A run of a connection that has published, step by step: pages that it has read, and what is staged. */
export class ReadRun {
  readonly bank = new RelinkedBank()
  readonly database: Database
  readonly deps: SyncDeps
  connector: Connector = this.bank.connector
  /** Warnings of the log. */
  readonly warnings: unknown[][] = []
  /** Pages that were opened, by name. */
  readonly opened: string[] = []
  /** Ids of pages by name. */
  readonly pages = new Map<string, string>()
  readonly source: Source
  readonly #names = new Map<string, string>()
  #books: Books | undefined
  #connection: Connection | undefined
  #run: SyncRun | undefined
  #minutes = 0

  constructor(database: Database, keys: Keys) {
    const sources = sourcesWithKits([this.bank.description])
    const warn = (...line: unknown[]) => void this.warnings.push(line)
    const deps = syncDeps({ database, keys, sources, now: () => minutesAfter(this.#minutes), log: { ...SILENT, warn } })
    const { sealer } = deps
    const openLarge: typeof sealer.openLarge = (context, sealed) => {
      this.opened.push(this.#pageName(context.rowId))
      return sealer.openLarge(context, sealed)
    }
    this.database = database
    this.deps = { ...deps, sealer: { ...sealer, openLarge } }
    this.source = [...sources.values()][0] ?? fail('no source')
  }

  async open(reason: RunReason = 'reconnect'): Promise<this> {
    this.#books = await addBooks(this.database)
    const { instanceId, companyId, connectionId } = this.books
    this.#connection = (await findConnection(this.database, instanceId, connectionId)) ?? fail('no connection')
    const opened = { instanceId, companyId, id: randomUUID(), connectionId, reason, isAwaited: false, counts: { ...NO_COUNTS } }
    this.#run = await inTransaction(this.database, (db) => openRun(db, opened))
    return this
  }

  get books(): Books {
    return this.#books ?? fail('not open')
  }
  get scope(): RecordScope {
    const { instanceId, companyId, serviceId } = this.books
    return { instanceId, companyId, serviceId }
  }
  get run(): SyncRun {
    return this.#run ?? fail('not open')
  }
  /** What reidentification is given. */
  get reading() {
    const { deps, connector, run } = this
    return { deps, source: this.source, connector, connection: this.#connection ?? fail('not open'), run, serviceName: SERVICE_NAME }
  }

  pullOf(name: string): { pull: Pull; index: number } {
    const index = this.connector.pulls.findIndex((pull) => pull.name === name)
    return { pull: this.connector.pulls[index] ?? fail(`no pull ${name}`), index }
  }

  /** Records of an earlier page, published; `deleted`: they had ended. `names`: ids that readers know them by, if not their own. */
  async publish(rows: Rows, { deleted = false, names = {} as Readonly<Record<string, string>> } = {}): Promise<void> {
    const { pull, answers, fetchedAt, id } = await this.#store('published', rows)
    const { companyId, serviceId } = this.books
    const aliases = (entity: Entity, origId: string) => {
      const keptOrigId = names[origId]
      return keptOrigId === undefined ? undefined : { id: this.idOf(entity, keptOrigId), keptOrigId }
    }
    const scope = { companyId, serviceId, serviceName: SERVICE_NAME, category: 'Banking', fetchedAt, aliases } as const
    for (const item of normalizePage(this.connector, pull, answers, scope, () => undefined)) {
      if (!('doc' in item)) throw new Error('a page to publish has whole records only')
      const { entity, origId, doc, contentHash, rawIndex, sortKey } = item
      const version = { id: item.id, entity, origId, doc, contentHash, rawIndex, sortKey, deleted, rawPageId: id }
      await addVersion(this.database, this.books, version)
    }
  }

  /** A page of this run, staged; of a complete listing or of changes. */
  async list(rows: Rows, { listing = 'complete', page = 0 } = {}): Promise<void> {
    const { pull, index, answers, fetchedAt, id } = await this.#store(String(page), rows, page)
    this.#run = { ...this.run, pull: index, page }
    const { source, connector, connection } = this.reading
    await inTransaction(this.database, async (db) => {
      const scope = await openPageScope(db, connection, { serviceName: SERVICE_NAME, fetchedAt }, () => [pull.read(answers)])
      const seen = await stagePage(db, { run: this.run, source, connector, pull, answers, rawPageId: id, scope })
      await saveProgress(db, this.run, listing === 'complete' ? { pull: index, page, seen } : null)
    })
  }

  async #store(name: string, { accounts, movements = [] }: Rows, page = 0) {
    const { pull, index } = this.pullOf(accounts ? 'accounts' : 'movements')
    const list = accounts?.map((account) => (typeof account === 'string' ? toAccount(account) : account))
    for (const { id } of list ?? []) this.idOf('Accounts', id)
    for (const { id } of movements) this.idOf('Transactions', id)
    const body = list ?? movements.map((movement) => ({ change: 'set', movement }))
    const answers: Answers = { [list ? 'list' : 'changes']: Buffer.from(JSON.stringify(body)) }
    this.#minutes += 1
    const { instanceId, companyId, connectionId } = this.books
    const key = { instanceId, companyId, connectionId, pull: pull.name, page }
    const prepared = await preparePage(this.deps, key, answers)
    await inTransaction(this.database, (db) => storePage(db, key, prepared))
    this.pages.set(`${pull.name} ${name}`, prepared.id)
    return { pull, index, answers, ...prepared }
  }

  async removePage(name: string): Promise<void> {
    await this.database.query('delete from raw_pages where id = $1', [this.pages.get(name)])
  }

  within<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return inTransaction(this.database, work)
  }

  idOf(entity: Entity, origId: string): string {
    const id = toRecordId(this.books.companyId, this.books.serviceId, entity, origId)
    this.#names.set(id, origId)
    return id
  }

  #pageName(id: string): string {
    return [...this.pages].find(([, known]) => known === id)?.[0] ?? id
  }

  /** `old-1 as new-1 of accounts 0, row 0`, of a transaction with its account as readers see it; `old-1 ends`. */
  async staged(): Promise<string[]> {
    const { rows } = await this.database.query<StagedRow>(
      `select id, entity, orig_id as "origId", doc, raw_page_id as "pageId", raw_index as "rawIndex", seq from staged_records
       where run_id = $1 and instance_id = $2 and seq >= 0 order by entity, orig_id`,
      [this.run.id, this.run.instanceId],
    )
    return rows.map(({ id, origId, doc, pageId, rawIndex, seq }) => {
      const name = this.#names.get(id) ?? id
      if (doc === null) return `${name} ends`
      const page = `${this.#pageName(pageId)}, row ${rawIndex}`
      const shown: { origId: string; accountOrigId?: string } = JSON.parse(doc)
      const told = shown.origId === name ? name : `${name} shown as ${shown.origId}`
      const on = this.#pageName(pageId).endsWith(` ${seq}`) ? '' : `, staged on page ${seq}`
      return `${told} as ${origId} of ${page}${shown.accountOrigId === undefined ? '' : ` in ${shown.accountOrigId}`}${on}`
    })
  }

  /** The staged document of a record. */
  async stagedDoc(entity: Entity, origId: string): Promise<unknown> {
    const id = this.idOf(entity, origId)
    const { rows } = await this.database.query<{ doc: string }>('select doc from staged_records where run_id = $1 and id = $2', [
      this.run.id,
      id,
    ])
    return rows[0] && JSON.parse(rows[0].doc)
  }

  /** `new-1 is old-1`; the id that readers see follows where it is another. */
  async aliases(): Promise<string[]> {
    const { rows } = await this.database.query<{ origId: string; id: string; keptOrigId: string }>(
      'select orig_id as "origId", id, kept_orig_id as "keptOrigId" from record_aliases where company_id = $1 order by entity, orig_id',
      [this.books.companyId],
    )
    return rows.map(({ origId, id, keptOrigId }) => {
      const name = this.#names.get(id) ?? id
      return `${origId} is ${name}${name === keptOrigId ? '' : `, shown as ${keptOrigId}`}`
    })
  }

  /** Records that the complete listings of this run have shown, by page. */
  async seen(): Promise<Record<string, string[]>> {
    const { rows } = await this.database.query<{ pull: number; page: number; seen: Buffer }>(
      'select pull, page, seen from run_pages where run_id = $1 order by pull, page',
      [this.run.id],
    )
    const names = new Map([...this.#names].map(([id, name]) => [idPrefix(id).toString('hex'), name]))
    return Object.fromEntries(
      rows.map(({ pull, page, seen }) => [
        `${this.connector.pulls[pull]?.name} ${page}`,
        (seen.toString('hex').match(/.{16}/g) ?? []).map((prefix) => names.get(prefix) ?? prefix),
      ]),
    )
  }

  /** Everything that reidentification may change. */
  async state() {
    const { counts } = this.run
    return { staged: await this.staged(), aliases: await this.aliases(), seen: await this.seen(), counts, warnings: [...this.warnings] }
  }
}

interface StagedRow {
  id: string
  entity: string
  origId: string
  doc: string | null
  pageId: string
  rawIndex: number
  seq: string
}

function fail(message: string): never {
  throw new Error(message)
}
