import { randomUUID } from 'node:crypto'
import { type Kit, SourceError } from '../../src/connectors/contract/contract.ts'
import { createSources } from '../../src/connectors/sources.ts'
import type { Egress } from '../../src/egress/egress.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import type { CrashHook, CrashPoint } from '../../src/model/crash-points.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import type { Database } from '../../src/store/db/database.ts'
import type { Sealer } from '../../src/store/keys/sealing.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import type { WebhookDeps } from '../../src/webhooks/deps.ts'
import { addCompany } from '../harness/app/tenants.ts'
import { plainHash } from '../harness/keys.ts'
import { simulatedSource } from './connector.ts'
import { InvariantChecker } from './invariant-checker.ts'
import { type CrashPlan, killableDatabase, ProcessDied, ProcessLife } from './process-life.ts'
import { Provider, type ShownPage } from './provider.ts'
import type { Random } from './random.ts'
import { Receivers } from './receivers.ts'
import { SimulatedTime } from './time.ts'

/** A process of the service: its life, its view of the database and its current work. */
export interface Process {
  name: string
  life: ProcessLife
  sync: SyncDeps
  webhooks: WebhookDeps
  egress: Egress
  /** Pages that it fetched in this run and has not stored yet, in order. */
  fetched: ShownPage[]
  crashPoint: CrashHook
}

/** State shared by the seeds of one lane. */
export interface Lane {
  database: Database
  sealer: Sealer
}

const SKEW_MS = 600_000

/** One customer with one company and one source, and everything that happens to them. */
export class Simulation {
  readonly database: Database
  readonly instanceId = randomUUID()
  readonly companyId = randomUUID()
  readonly serviceId = toServiceId(simulatedSource.key)
  readonly random: Random
  readonly time: SimulatedTime
  readonly provider: Provider
  readonly receivers: Receivers
  readonly checker: InvariantChecker
  readonly trace: string[] = []
  /** Called while a process waits for an outside response; set by the script. */
  meanwhile: (who: string) => Promise<void> = async () => undefined
  readonly #lane: Lane
  #processes = 0

  constructor(lane: Lane, random: Random) {
    this.#lane = lane
    this.database = lane.database
    this.random = random
    this.time = new SimulatedTime(lane.database, this.instanceId)
    this.provider = new Provider(random, () => this.time.nowMs)
    this.receivers = new Receivers(this)
    this.checker = new InvariantChecker(this)
  }

  async open(): Promise<void> {
    await this.time.start()
    this.provider.reference = this.instanceId
    await createInstance(this.database, { id: this.instanceId, name: 'Simulated Lender' })
    await addCompany(this.database, this.instanceId, { id: this.companyId })
  }

  note(line: string): void {
    this.trace.push(line)
  }

  /** A new process, with a clock that may be wrong. */
  startProcess(fuse: CrashPlan | null): Process {
    this.#processes += 1
    const name = `p${this.#processes}`
    const life = new ProcessLife(fuse)
    const skewMs = this.random.pick([0, 0, -SKEW_MS, SKEW_MS])
    const now = () => new Date(this.time.nowMs + skewMs)
    const database = killableDatabase(this.database, life)
    const crashPoint = (point: CrashPoint) => this.checker.reach(process, point)
    const sync: SyncDeps = {
      database,
      sealer: this.#lane.sealer,
      sources: createSources([simulatedSource], {
        settings: {},
        simulators: {},
        createKit: (_app, hosts) => this.#kit(() => process, hosts, now),
      }),
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (fields, message) => this.#hear(life, fields, message),
      },
      hide: () => undefined,
      hashToken: plainHash((token) => Buffer.from(`${this.instanceId}/${token}`)),
      baseUrl: 'http://127.0.0.1:8480',
      readLeaseMs: 0,
      now,
      crashPoint,
    }
    const process: Process = {
      name,
      life,
      sync,
      webhooks: { database, sealer: this.#lane.sealer, callbackRules: { allowPrivate: true } },
      egress: this.receivers.egressOf(() => process),
      fetched: [],
      crashPoint,
    }
    life.onBegin = () => this.checker.begin(process)
    life.onCommit = () => this.checker.commit(process)
    return process
  }

  #hear(life: ProcessLife, fields: Record<string, unknown>, message: string): void {
    if (life.isOver || fields.err instanceof ProcessDied) return
    this.checker.complain(`the engine failed: ${message}: ${fields.err instanceof Error ? fields.err.stack : JSON.stringify(fields)}`)
  }

  /** Outside calls of one process: it may die before or after each, and time passes in the meantime. */
  #kit(process: () => Process, hosts: Record<string, string>, now: () => Date): Kit {
    return {
      app: {},
      hosts,
      now,
      http: async (request) => {
        const who = process()
        this.checker.call(who, new URL(request.url).pathname)
        const { response, page } = await who.life.spend(async () => this.provider.answer(request))
        const at = new URL(request.url)
        this.note(`${who.name} ${at.pathname}${at.search} ${response?.status ?? 'no answer'}${page ? ` ${page.rows.length} rows` : ''}`)
        if (page) {
          if (response) who.fetched.push(page)
          await this.meanwhile(who.name)
        }
        if (who.life.isOver) throw new ProcessDied()
        if (response === null) throw new SourceError('unavailable', 'the connection broke off')
        return response
      },
    }
  }
}
