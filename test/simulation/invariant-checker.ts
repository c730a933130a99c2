import type { CrashPoint } from '../../src/model/crash-points.ts'
import { Status } from '../../src/model/statuses.ts'
import { findNewestRun, listCurrentRecords, type RecordRow } from './committed-rows.ts'
import { Model, type Shown } from './model.ts'
import type { Process, Simulation } from './simulation.ts'

/** Operation that a process is about to commit. */
export type Operation = 'page' | 'publication' | 'failure' | 'grant' | 'refresh' | 'suspend' | 'resume' | 'disconnect' | 'other'

const OPERATIONS: Readonly<Partial<Record<CrashPoint, Operation>>> = {
  'after-stage-before-commit': 'page',
  'before-publish-commit': 'publication',
  'before-failure-commit': 'failure',
  'before-grant-commit': 'grant',
}

/** Observes every commit, computes what must be true after it, and records violations. */
export class InvariantChecker {
  readonly violations: string[] = []
  readonly model = new Model()
  /** Publications that had to raise events, by run. */
  readonly announced = new Set<string>()
  readonly published = new Set<string>()
  readonly counts = { disconnects: 0, failures: 0, publications: 0, pages: 0, deaths: 0 }
  isConnected = false
  isSuspended = false
  /** First id of each record. */
  readonly #ids = new Map<string, string>()
  readonly #simulation: Simulation
  readonly #operations = new Map<Process, Operation>()
  #newest: Process | null = null
  /** Run whose pages the model holds. */
  #runId: string | null = null
  /** Whether something happened since that run began for which the engine may abandon it and start over. */
  #mayRestart = false

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  complain(text: string): void {
    this.violations.push(text)
    this.#simulation.note(`VIOLATION ${text}`)
  }

  /** An API operation announces what its transaction will mean. */
  intend(process: Process, operation: Operation): void {
    this.#operations.set(process, operation)
  }

  begin(process: Process): void {
    const known = this.#operations.get(process)
    if (known && Object.values(OPERATIONS).includes(known)) this.#operations.delete(process)
  }

  /** A process has reached a crash point; it may die there. */
  async reach(process: Process, point: CrashPoint): Promise<void> {
    await process.life.spend(async () => undefined)
    const operation = OPERATIONS[point]
    if (operation) this.#operations.set(process, operation)
    if (point !== 'after-run-opened') return
    this.#newest = process
    process.fetched = []
    await this.#noteRun()
  }

  /** A job failed and will be retried; `attempt` counts from 1. */
  fail(attempt: number): void {
    if (attempt > 1) this.#mayRestart = true
  }

  /** Replacing an unfinished run is allowed only after a manual refresh, or after repeated failures. */
  async #noteRun(): Promise<void> {
    const { rows } = await this.#simulation.database.query<{ id: string }>(
      `select id from sync_runs where instance_id = $1 and state = 'running' and reason <> 'replay'`,
      [this.#simulation.instanceId],
    )
    const runId = rows[0]?.id ?? null
    if (runId === this.#runId) return
    if (this.model.hasPages && !this.#mayRestart) this.complain('I1: a run began again for no cause')
    this.model.endRun()
    this.#runId = runId
    this.#mayRestart = false
  }

  /** A process makes an outside call. */
  call(process: Process, what: string): void {
    if (process.life.openTransactions > 0) this.complain(`I13: ${process.name} calls ${what} inside a transaction`)
  }

  async commit(process: Process): Promise<void> {
    const operation = this.#operations.get(process)
    this.#operations.delete(process)
    if (!operation || operation === 'other') return
    this.#simulation.note(`${process.name} commits ${operation}`)
    if (operation === 'page') this.#commitPage(process)
    else if (operation === 'publication') await this.#commitPublication(process)
    else if (operation === 'failure') {
      this.counts.failures += 1
      this.model.endRun()
      await this.#simulation.time.schedule()
    } else if (operation === 'grant') {
      // What a run read with the old grant must not be mixed with the new one's.
      this.model.endRun()
      this.isConnected = true
      this.isSuspended = false
    } else if (this.isConnected) this.#commitOperation(operation)
  }

  /** NOTE an operation that finds nothing to do commits too. */
  #commitOperation(operation: Operation): void {
    if (operation === 'refresh') this.#mayRestart = true
    else if (operation === 'resume') this.isSuspended = false
    else if (operation === 'suspend') {
      this.isSuspended = true
      this.model.endRun()
    } else if (operation === 'disconnect') {
      this.counts.disconnects += 1
      this.isConnected = false
      this.isSuspended = false
      this.#newest = null
      this.model.forget()
    }
  }

  #mayWrite(process: Process, what: string): void {
    if (!this.isConnected) this.complain(`I14: ${process.name} ${what} after the disconnect`)
    else if (this.isSuspended) this.complain(`${process.name} ${what} while suspended`)
    else if (this.#newest !== process) this.complain(`I11: ${process.name} ${what} after it was overtaken`)
  }

  #commitPage(process: Process): void {
    this.#mayWrite(process, 'keeps a page')
    const page = process.fetched.shift()
    if (!page) {
      this.complain(`I1: ${process.name} keeps a page that it has not fetched`)
      return
    }
    this.counts.pages += 1
    const broken = this.model.commitPage(page)
    if (broken) this.complain(broken)
  }

  async #commitPublication(process: Process): Promise<void> {
    this.#mayWrite(process, 'publishes')
    this.counts.publications += 1
    if (!this.model.isComplete) this.complain('I1: published before all pages were kept')
    if (!this.model.isPublishable) this.complain('I9: published although too much was set aside')
    const setAside = [...this.model.setAside]
    const isNews = this.model.publish()
    await this.#checkRecords()
    await this.#checkRun(isNews)
    for (const key of setAside) await this.#checkSetAside(key)
    await this.#simulation.time.schedule()
  }

  /** Published records are exactly those of the committed pages. */
  async #checkRecords(): Promise<void> {
    const rows = await listCurrentRecords(this.#simulation.database, this.#simulation.instanceId)
    if (new Set(rows.map(({ key }) => key)).size < rows.length) this.complain('a record is current twice')
    const found = new Map(rows.map((row) => [row.key, row]))
    for (const [key, shown] of this.model.published) {
      const row = found.get(key)
      found.delete(key)
      if (!row) this.complain(`I1: ${key} was kept and is not published`)
      else this.#checkRecord(key, shown, row)
    }
    for (const key of found.keys()) this.complain(`I1: ${key} is published and no page that was kept showed it`)
  }

  #checkRecord(key: string, shown: Shown, row: RecordRow): void {
    const first = this.#ids.get(key) ?? row.id
    this.#ids.set(key, first)
    if (first !== row.id) this.complain(`I2: ${key} has another id than before`)
    if (row.deleted !== shown.isDeleted) {
      this.complain(`I7: ${key} is ${row.deleted ? 'deleted' : 'living'} and should not be`)
      return
    }
    const doc = JSON.parse(row.doc)
    if ((doc.name ?? doc.description) !== shown.name)
      this.complain(`I3: ${key} is published as ${doc.name ?? doc.description}, not as ${shown.name}`)
    if (!key.startsWith('accounts/')) return
    const word = shown.kind === 'asset' ? 'ASSET' : 'UNKNOWN'
    if (doc.classApp !== shown.kind || doc.classSystem !== word)
      this.complain(`I8: ${key} has the class ${doc.classApp} as ${doc.classSystem}`)
  }

  /** Run, status, schedule, publication and events were committed together with the records. */
  async #checkRun(isNews: boolean): Promise<void> {
    const run = await findNewestRun(this.#simulation.database, this.#simulation.instanceId)
    if (!run) {
      this.complain('I4: published without a run')
      return
    }
    if (run.state !== (isNews ? 'published' : 'unchanged')) this.complain(`I4: the run is ${run.state}, news: ${isNews}`)
    const isHoldingBack = this.model.heldBack.size > 0
    if (run.status !== Status.Structured || (run.fault !== null) !== isHoldingBack)
      this.complain(`I4: published in status ${run.status}, fault ${run.fault}, ${this.model.heldBack.size} held back`)
    const living = [...this.model.published].filter(([key, shown]) => key.startsWith('accounts/') && !shown.isDeleted).length
    if (run.accounts !== living) this.complain(`I4: the publication counts ${run.accounts} accounts, not ${living}`)
    if (run.hours < 2.99 || run.hours > 27.1) this.complain(`I12: the next refresh is in ${run.hours} hours`)
    const wanted = isNews || run.isAwaited ? 1 : 0
    if (run.events !== wanted) this.complain(`I5: ${run.events} events NormalizedData, not ${wanted}`)
    if (this.published.has(run.id)) this.complain('I5: a run was published twice')
    this.published.add(run.id)
    if (wanted === 1) this.announced.add(run.id)
  }

  async #checkSetAside(key: string): Promise<void> {
    const { instanceId, database } = this.#simulation
    const { rows } = await database.query('select reason from quarantined_records where instance_id = $1 and orig_id = $2', [
      instanceId,
      key.split('/')[1],
    ])
    if (rows.length !== 1 || !rows[0]?.reason) this.complain(`I9: ${key} was set aside without a word`)
  }

  /** A subscriber receives an event: it has been committed, and so has its cause. */
  async hear(identifier: string): Promise<void> {
    const { rows } = await this.#simulation.database.query<{ key: string }>(
      'select dedupe_key as key from events where instance_id = $1 and id = $2',
      [this.#simulation.instanceId, identifier.split('.')[1]],
    )
    const run = rows[0]?.key.split('/')[2]
    if (run === undefined) this.complain(`I4: ${identifier} was sent and does not exist`)
    else if (identifier.startsWith('NormalizedData.') && !this.announced.has(run)) this.complain(`I4: ${identifier} came before its data`)
  }

  /** A reader reads the accounts; null if nothing is published. */
  see(documents: { origId: string; name: string }[] | null): void {
    const { model } = this
    if (documents === null) {
      if (this.isConnected && model.publications > 0) this.complain('I4: what was published cannot be read')
      return
    }
    if (!this.isConnected) this.complain('I14: data is read after the disconnect')
    const wanted = [...model.published].filter(([key, shown]) => key.startsWith('accounts/') && !shown.isDeleted)
    const seen = new Map(documents.map(({ origId, name }) => [`accounts/${origId}`, name]))
    const isSame = seen.size === wanted.length && wanted.every(([key, { name }]) => seen.get(key) === name)
    if (!isSame) this.complain('I4: what is read is not what was published')
  }
}
