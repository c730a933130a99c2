import type { Collection, ShownPage, SourceRecord } from './provider.ts'

/** Expected state of one record: its name and kind at the source, or deleted. */
export interface Shown {
  name: string
  kind: string
  version: number
  isDeleted: boolean
}

type Staged = { record: SourceRecord; isRemoved: false } | { isRemoved: true }

const SET_ASIDE_SHARE = 0.05
const SET_ASIDE_MIN = 20

/** Expected publications of a connection, computed from the committed pages without the engine's code. */
export class Model {
  /** By collection and the source's id. */
  readonly published = new Map<string, Shown>()
  /** Records missing from the last complete listing whose deletion is held back. */
  readonly heldBack = new Set<string>()
  /** Number of publications so far. */
  publications = 0
  #staged = new Map<string, Staged>()
  #seen = new Map<Collection, Set<string>>()
  #isCountable = new Map<Collection, boolean>()
  #setAside = new Set<string>()
  #counts = { read: 0, setAside: 0 }
  #last: ShownPage | null = null

  /** A page and the cursor after it have been committed. Returns the violated rule, if any. */
  commitPage(page: ShownPage): string | null {
    if (!this.#follows(page)) return `I1: ${page.collection} behind "${page.after}" are kept, and what comes before them is not`
    this.#last = page
    const seen = this.#seen.get(page.collection) ?? new Set()
    for (const row of page.rows) {
      if (row.id === null) {
        this.#counts.setAside += 1
        if (page.listing === 'complete') this.#isCountable.set(page.collection, false)
        continue
      }
      const key = `${page.collection}/${row.id}`
      if ('removed' in row) {
        this.#counts.read += 1
        this.#staged.set(key, { isRemoved: true })
        continue
      }
      if (page.listing === 'complete') seen.add(row.id)
      if (row.isBroken) {
        this.#counts.setAside += 1
        this.#setAside.add(key)
        continue
      }
      this.#counts.read += 1
      const staged = this.#staged.get(key)
      if (staged && !staged.isRemoved && staged.record.version > row.version) continue
      this.#staged.set(key, { record: row, isRemoved: false })
    }
    if (page.listing === 'complete') this.#seen.set(page.collection, seen)
    return null
  }

  /** Pages are consecutive, accounts first; an expired cursor restarts its listing. */
  #follows(page: ShownPage): boolean {
    const last = this.#last
    if (last === null) return page.collection === 'accounts' && page.after === ''
    if (last.next === null) return last.collection === 'accounts' && page.collection === 'entries' && page.after === ''
    return page.collection === last.collection && (page.after === last.next || (page.after === '' && last.listing === 'changes'))
  }

  /** Whether pages of an unfinished run have been stored. */
  get hasPages(): boolean {
    return this.#last !== null
  }

  /** Whether all pages of the run have been stored. */
  get isComplete(): boolean {
    return this.#last?.collection === 'entries' && this.#last.next === null
  }

  /** Whether the run may be published: not if too many records were set aside. */
  get isPublishable(): boolean {
    const { read, setAside } = this.#counts
    return setAside < SET_ASIDE_MIN || setAside <= SET_ASIDE_SHARE * (read + setAside)
  }

  /** Records that this run set aside. */
  get setAside(): ReadonlySet<string> {
    return this.#setAside
  }

  /** The run has been published; returns whether it changed anything. */
  publish(): boolean {
    let isNews = this.publications === 0
    for (const [key, staged] of this.#staged) isNews = this.#apply(key, staged) || isNews
    for (const [collection, seen] of this.#seen) isNews = this.#bury(collection, seen) || isNews
    this.publications += 1
    this.endRun()
    return isNews
  }

  #apply(key: string, staged: Staged): boolean {
    const known = this.published.get(key)
    if (staged.isRemoved) {
      if (!known || known.isDeleted) return false
      known.isDeleted = true
      return true
    }
    const { name, kind, version } = staged.record
    if (known && known.version > version) return false
    const isNews = !known || known.isDeleted || known.name !== name || known.kind !== kind
    if (isNews) this.published.set(key, { name, kind, version, isDeleted: false })
    return isNews
  }

  /** Deletes records missing from a complete listing, unless they are more than half. */
  #bury(collection: Collection, seen: Set<string>): boolean {
    if (this.#isCountable.get(collection) === false) return false
    const living = [...this.published].filter(([key, shown]) => key.startsWith(`${collection}/`) && !shown.isDeleted)
    const missing = living.filter(([key]) => !seen.has(key.slice(collection.length + 1)))
    for (const key of [...this.heldBack]) if (key.startsWith(`${collection}/`)) this.heldBack.delete(key)
    if (missing.length * 2 > living.length) {
      for (const [key] of missing) this.heldBack.add(key)
      return false
    }
    for (const [, shown] of missing) shown.isDeleted = true
    return missing.length > 0
  }

  /** The run has ended; the next one starts with nothing. */
  endRun(): void {
    this.#staged = new Map()
    this.#seen = new Map()
    this.#isCountable = new Map()
    this.#setAside = new Set()
    this.#counts = { read: 0, setAside: 0 }
    this.#last = null
  }

  /** Disconnected and erased. */
  forget(): void {
    this.endRun()
    this.published.clear()
    this.publications = 0
  }
}
