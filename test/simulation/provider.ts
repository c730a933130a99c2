import type { HttpRequest, HttpResponse } from '../../src/connectors/contract/contract.ts'
import type { Random } from './random.ts'

/** A record as the source stores it. */
export interface SourceRecord {
  id: string
  name: string
  /** The source's own enum value for the kind; some are known to the mapping. */
  kind: string
  /** Whether it has an unexpected format, so that it cannot be normalized. */
  isBroken: boolean
  /** Incremented with each change at the source. */
  version: number
}

export type Collection = 'accounts' | 'entries'

/** A row as the source returns it on a page. */
export type ShownRow = SourceRecord | { id: string; removed: true } | { id: null }

/** The source's answer to one request for a page, before transmission. */
export interface ShownPage {
  collection: Collection
  listing: 'complete' | 'changes'
  /** Position after which it begins, empty for the first; and that of the next one, null if there is none. */
  after: string
  next: string | null
  rows: ShownRow[]
}

const FAULTS = {
  none: 0,
  rateLimited: 3,
  rateLimitedPlain: 1,
  broken: 3,
  unavailable: 2,
  silent: 2,
  truncated: 2,
  html: 1,
  stale: 3,
  anonymous: 0.3,
}
type Fault = keyof typeof FAULTS

const TOKEN_LIFE_MS = 3_600_000
const SECOND_FAULTS: readonly Fault[] = ['stale', 'anonymous']

/** A source with books, rotating tokens, and outages. It remembers everything that it returned, for checks. */
export class Provider {
  readonly records: Record<Collection, Map<string, SourceRecord>> = { accounts: new Map(), entries: new Map() }
  /** Share of faulty answers. */
  faultShare: number
  /** Share of pages that repeat the end of the previous one. */
  overlapShare: number
  /** Whether the previous refresh token works until the newest one was used. */
  readonly hasGrace: boolean
  /** Whether the owner has revoked a consent. */
  wasRevoked = false
  disconnects = 0
  refreshes = 0
  /** The books that the next owner opens. */
  entity = 'books-1'
  /** Reference to the connection in its webhooks. */
  reference = ''
  pageSize: number
  readonly #random: Random
  readonly #now: () => number
  #seq = 0
  readonly #changes: { id: string; seq: number; removed: boolean }[] = []
  readonly #before = new Map<string, SourceRecord>()
  #oldestSeq = 0
  readonly #families: Family[] = []

  constructor(random: Random, now: () => number) {
    this.#random = random
    this.#now = now
    this.faultShare = random.pick([0, 0.05, 0.15, 0.3])
    this.overlapShare = random.pick([0, 0, 0.4])
    this.hasGrace = random.chance(0.7)
    this.pageSize = 2 + random.below(4)
  }

  /** Revokes every consent, as the owner can. */
  revoke(): void {
    this.wasRevoked = true
    this.#families.length = 0
  }

  put(collection: Collection, record: Omit<SourceRecord, 'version'>): void {
    this.#seq += 1
    const key = `${collection}/${record.id}`
    const known = this.records[collection].get(record.id)
    if (known) this.#before.set(key, known)
    this.records[collection].set(record.id, { ...record, version: this.#seq })
    if (collection === 'entries') this.#note(record.id, false)
  }

  /** Reverts the record's last change. */
  back(collection: Collection, id: string): void {
    const before = this.#before.get(`${collection}/${id}`)
    if (before) this.put(collection, before)
  }

  /** Repairs everything that the mapping could not read. */
  mend(): void {
    for (const collection of ['accounts', 'entries'] as const) {
      for (const record of this.records[collection].values()) if (record.isBroken) this.put(collection, { ...record, isBroken: false })
    }
  }

  remove(collection: Collection, id: string): void {
    this.#seq += 1
    this.#before.delete(`${collection}/${id}`)
    this.records[collection].delete(id)
    if (collection === 'entries') this.#note(id, true)
  }

  /** Expires all existing cursors. */
  forgetCursors(): void {
    this.#seq += 1
    this.#oldestSeq = this.#seq
  }

  /** The answer, and the page that it carries if it arrives complete. */
  answer(request: HttpRequest): { response: HttpResponse | null; page: ShownPage | null } {
    const url = new URL(request.url)
    if (url.pathname === '/consent')
      return { response: json(200, { ...this.#grant(), entity: this.entity, reference: this.reference }), page: null }
    if (url.pathname === '/token') return { response: this.#refresh(String(request.body)), page: null }
    if (url.pathname === '/revoke') {
      this.disconnects += 1
      return { response: json(200, {}), page: null }
    }
    const fault = this.#random.chance(this.faultShare) ? this.#random.weighted(FAULTS) : 'none'
    const failed = this.#fail(fault)
    if (failed !== undefined) return { response: failed, page: null }
    const family = this.#families.find(({ access }) => request.headers?.authorization === `Bearer ${access}`)
    if (!family || family.expiresAtMs <= this.#now()) return { response: json(401, { error: 'invalid_token' }), page: null }
    family.oldest = family.refresh
    return this.#show(url, fault)
  }

  #fail(fault: Fault): HttpResponse | null | undefined {
    if (fault === 'none' || SECOND_FAULTS.includes(fault)) return undefined
    if (fault === 'silent') return null
    if (fault === 'rateLimited') return json(429, {}, { 'retry-after': String(this.#random.pick([1, 30, 90, 3_600])) })
    if (fault === 'rateLimitedPlain') return json(429, {})
    if (fault === 'broken') return json(500, {})
    if (fault === 'unavailable') return json(503, {})
    return { status: 200, headers: {}, body: Buffer.from(fault === 'html' ? '<html>Maintenance</html>' : '{"rows":[{"id":"a1","na') }
  }

  #show(url: URL, fault: Fault): { response: HttpResponse; page: ShownPage | null } {
    const collection: Collection = url.pathname === '/accounts' ? 'accounts' : 'entries'
    const since = url.searchParams.get('since')
    const after = url.searchParams.get('after') ?? ''
    if (since !== null && Number(since) < this.#oldestSeq) return { response: json(410, { error: 'cursor_expired' }), page: null }
    const listing = since === null ? 'complete' : 'changes'
    const all = since === null ? this.#listing(collection) : this.#feed(Number(since), after)
    const start = since === null ? all.findIndex((entry) => entry.place > after) : 0
    const from = start === -1 ? all.length : start
    // NOTE rows between two pages may be on both.
    const first = this.#random.chance(this.overlapShare) ? Math.max(0, from - 2) : from
    const shown = all.slice(first, from + this.pageSize)
    const last = shown.at(-1)
    const isStale = fault === 'stale' && collection === 'accounts'
    const rows: ShownRow[] = shown.map(({ row }, index) => {
      // A repeated row may come from a replica that lags behind.
      const isRepeated = index < from - first && this.#random.chance(0.5)
      return isStale || isRepeated ? this.#stale(collection, row) : row
    })
    // A change may be repeated, out of order, in its earlier state; rows requested by number are not repeated a third
    // time.
    if (fault === 'stale' && collection === 'entries') rows.push(...shown.map(({ row }) => this.#stale(collection, row)))
    if (fault === 'anonymous') rows.push({ id: null })
    const next = last && from + this.pageSize < all.length ? last.place : null
    const page: ShownPage = { collection, listing, after, next, rows: rows.map((row) => ({ ...row })) }
    return { response: json(200, { rows: rows.map(toWire), next, seq: this.#seq }), page }
  }

  #listing(collection: Collection): { place: string; row: ShownRow }[] {
    return [...this.records[collection].values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map((row) => ({ place: row.id, row }))
  }

  #feed(since: number, after: string): { place: string; row: ShownRow }[] {
    const from = Math.max(since, Number(after || 0))
    return this.#changes
      .filter(({ seq }) => seq > from)
      .map(({ id, seq, removed }) => {
        const row = this.records.entries.get(id)
        return { place: String(seq), row: removed || !row ? { id, removed: true as const } : row }
      })
  }

  /** The row as returned by a replica that lags behind. */
  #stale(collection: Collection, row: ShownRow): ShownRow {
    return (row.id !== null && !('removed' in row) && this.#before.get(`${collection}/${row.id}`)) || row
  }

  #note(id: string, removed: boolean): void {
    this.#changes.push({ id, seq: this.#seq, removed })
  }

  #grant(): Tokens {
    const family = { id: this.#families.length + 1, access: '', expiresAtMs: 0, refresh: 0, oldest: 0 }
    this.#families.push(family)
    return this.#issue(family)
  }

  #refresh(body: string): HttpResponse {
    const [id, used] = (new URLSearchParams(body).get('refresh_token') ?? '').split('.').map(Number)
    const family = this.#families.find((known) => known.id === id)
    if (!family || used === undefined || used < family.oldest || used > family.refresh) return json(400, { error: 'invalid_grant' })
    this.refreshes += 1
    const fresh = this.#issue(family)
    if (!this.hasGrace) family.oldest = family.refresh
    return json(200, fresh)
  }

  #issue(family: Family): Tokens {
    family.refresh += 1
    family.access = `access-${family.id}.${family.refresh}`
    family.expiresAtMs = this.#now() + TOKEN_LIFE_MS
    return { access: family.access, refresh: `${family.id}.${family.refresh}`, expiresAt: new Date(family.expiresAtMs).toISOString() }
  }
}

/** The tokens derived from one consent. */
interface Family {
  id: number
  access: string
  expiresAtMs: number
  /** Number of the newest refresh token, and of the oldest that still works. */
  refresh: number
  oldest: number
}

interface Tokens {
  access: string
  refresh: string
  expiresAt: string
}

/** A broken record has no valid name. */
function toWire(row: ShownRow): unknown {
  return row.id !== null && 'isBroken' in row && row.isBroken ? { ...row, name: 7 } : row
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers, body: Buffer.from(JSON.stringify(body)) }
}
