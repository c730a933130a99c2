import { type Handler, MAX_ATTEMPTS } from '../../src/jobs/worker.ts'
import { completeJobs } from '../../src/store/jobs/held-jobs.ts'
import { claimJobs, requeueJob } from '../../src/store/jobs/jobs.ts'
import { requeueExpiredJobs } from '../../src/store/jobs/leases.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import { EntityMismatch } from '../../src/sync/authorize/grant.ts'
import {
  ActionNotAllowed,
  type ConnectionTarget,
  disconnect,
  requestRefresh,
  resume,
  suspend,
} from '../../src/sync/connection/connection-actions.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { syncHandlers } from '../../src/sync/jobs.ts'
import { LinkAlreadyUsed } from '../../src/sync/links/errors.ts'
import { handleWebhook } from '../../src/sync/provider-webhooks/hints.ts'
import { enqueueDue } from '../../src/sync/runs/schedule.ts'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { replayToSubscription } from '../../src/webhooks/replay.ts'
import { subscribe, unsubscribe } from '../../src/webhooks/subscriptions.ts'
import { signalOf } from '../harness/app/jobs.ts'
import { openNewLink } from '../harness/app/owner-link.ts'
import { Bookkeeper } from './bookkeeper.ts'
import { simulatedSource } from './connector.ts'
import type { Operation } from './invariant-checker.ts'
import { ProcessDied } from './process-life.ts'
import type { Process, Simulation } from './simulation.ts'

const LEASE_MS = 60_000
/** Well past a lease: instants of a script are far enough apart that the machine's speed does not matter. */
const PAST_LEASE_MS = 61_500
/** Relative frequency of steps. */
const STEPS = {
  work: 26,
  deliver: 10,
  change: 14,
  due: 8,
  refresh: 6,
  hint: 3,
  read: 4,
  subscribe: 3,
  unsubscribe: 1,
  replay: 3,
  suspend: 3,
  resume: 4,
  reconnect: 3,
  disconnect: 2,
  leases: 3,
  schedule: 3,
  tokens: 3,
  revoke: 1,
}
/** Steps that may happen while a process waits for a response. */
const MEANWHILE = { ...STEPS, deliver: 0, revoke: 0, work: 12, change: 20, leases: 12, disconnect: 4, suspend: 6 }
const MEANWHILE_SHARE = 0.12
const DEATH_SHARE = 0.16
/** Outside calls that a process may make before it dies; a sync makes about fifty. */
const WORK_CALLS = 45
const OPERATION_CALLS = 14

/** The script of a seed: a sequence of steps, sometimes nested. */
export class SimulationScenario {
  readonly #simulation: Simulation
  readonly #subscriptions: string[] = []
  #isNested = false
  #isSettling = false
  #receivers = 0
  readonly #bookkeeper: Bookkeeper

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#bookkeeper = new Bookkeeper(simulation.provider, simulation.random)
    simulation.meanwhile = async (who) => await this.#interrupt(who)
  }

  async run(steps: number): Promise<void> {
    const { random, checker: watcher } = this.#simulation
    for (let number = 2 + random.below(7); number > 0; number -= 1) this.#bookkeeper.add(random.pick(['accounts', 'entries']))
    for (let number = random.below(5); number > 0; number -= 1) this.#bookkeeper.change()
    await this.#subscribe()
    await this.#connect()
    for (let step = 0; step < steps && watcher.violations.length === 0; step += 1) await this.#step(random.weighted(STEPS))
  }

  /** Ends all faults and advances time until nothing is left to do. */
  async settle(): Promise<void> {
    const { provider, receivers, checker: watcher, time } = this.#simulation
    this.#isSettling = true
    provider.faultShare = 0
    provider.overlapShare = 0
    provider.mend()
    receivers.isHealed = true
    this.#simulation.meanwhile = async () => undefined
    if (watcher.isSuspended) await this.#operate('resume', resume)
    if (watcher.isConnected) await this.#connect()
    await this.#operate('refresh', requestRefresh)
    for (let round = 0; round < 60 && watcher.violations.length === 0; round += 1) {
      await this.#deliver()
      const waitMs = await time.untilNextMs()
      if (waitMs === null) return
      await time.pass(waitMs + 1)
      while (await this.#work());
    }
    if (watcher.violations.length === 0) watcher.complain('stuck: there is still something to do after sixty rounds')
  }

  async #interrupt(who: string): Promise<void> {
    const { random } = this.#simulation
    if (this.#isNested || !random.chance(MEANWHILE_SHARE)) return
    this.#isNested = true
    this.#simulation.note(`while ${who} waits:`)
    for (let number = 1 + random.below(3); number > 0; number -= 1) await this.#step(random.weighted(MEANWHILE))
    this.#isNested = false
  }

  async #step(name: keyof typeof STEPS): Promise<void> {
    const { random, time, provider, receivers } = this.#simulation
    this.#simulation.note(`- ${name}`)
    if (name === 'work') await this.#work()
    else if (name === 'deliver') await this.#deliver()
    else if (name === 'change') this.#bookkeeper.change()
    else if (name === 'read') await receivers.read()
    else if (name === 'subscribe') await this.#subscribe()
    else if (name === 'unsubscribe') await this.#unsubscribe()
    else if (name === 'replay') await this.#replay()
    else if (name === 'refresh') await this.#operate('refresh', requestRefresh)
    else if (name === 'suspend') await this.#operate('suspend', suspend)
    else if (name === 'resume') await this.#operate('resume', resume)
    else if (name === 'disconnect') await this.#operate('disconnect', disconnect)
    else if (name === 'reconnect') await this.#connect()
    else if (name === 'hint') await this.#hint()
    else if (name === 'due') await this.#pass((await time.untilNextMs()) ?? 0)
    else if (name === 'leases') await this.#pass(PAST_LEASE_MS)
    else if (name === 'tokens') await this.#pass(random.pick([310_000, 3_700_000]))
    else if (name === 'schedule') await this.#pass(await time.untilScheduledMs())
    else if (name === 'revoke') provider.revoke()
  }

  /** Advances time, and the ticker of some process runs once. */
  async #pass(ms: number): Promise<void> {
    await this.#simulation.time.pass(ms + 1)
    await enqueueDue(this.#simulation.database)
  }

  /** Runs in a separate process, which may die during it; then its leases expire. */
  async #inProcess(calls: number, work: (process: Process) => Promise<void>): Promise<void> {
    const { random } = this.#simulation
    const mayDie = random.chance(DEATH_SHARE) && !this.#isSettling
    const fuse = { calls: random.below(calls), isAfter: random.chance(0.5) }
    const process = this.#simulation.startProcess(mayDie ? fuse : null)
    await work(process).catch((error: unknown) => {
      if (!process.life.isOver && !isExpected(error)) throw error
    })
    if (!process.life.isOver) return
    this.#simulation.checker.counts.deaths += 1
    this.#simulation.note(`${process.name} has died`)
    await process.life.whenLeft()
    await this.#pass(PAST_LEASE_MS)
  }

  /** Runs one job, as a worker does. Returns false if none was due. */
  async #work(): Promise<boolean> {
    let isFound = false
    await this.#inProcess(WORK_CALLS, async (process) => {
      const { database } = process.sync
      const handlers: Record<string, Handler> = syncHandlers(process.sync)
      await requeueExpiredJobs(database, MAX_ATTEMPTS)
      const worker = this.#simulation.instanceId
      const claim = { worker, kinds: Object.keys(handlers), limit: 1, leaseMs: LEASE_MS, after: null, cap: 10 }
      const [job] = await claimJobs(database, claim)
      if (!job) return
      isFound = true
      this.#simulation.note(`${process.name} runs ${job.kind}, attempt ${job.attempts}`)
      const outcome = await handlers[job.kind]?.(job, signalOf(job))
      if (!outcome) throw new Error(`no handler for ${job.kind}`)
      this.#simulation.note(`${process.name}: ${outcome.done ? 'done' : `again in ${outcome.inMs} ms: ${outcome.reason}`}`)
      if (!outcome.done && job.kind === 'sync') this.#simulation.checker.fail(job.attempts)
      if (outcome.done) await completeJobs(database, worker, [job])
      else await requeueJob(database, worker, job, { ...outcome, attempts: outcome.isFailure ? job.attempts : job.attempts - 1 })
    })
    return isFound
  }

  async #deliver(): Promise<void> {
    await this.#inProcess(OPERATION_CALLS, async (process) => {
      const { database, sealer, log } = process.sync
      const random = () => this.#simulation.random.next()
      const { egress, crashPoint } = process
      await new Dispatcher({ database, egress, sealer, log, random, crashPoint }).runOnce()
    })
  }

  async #operate(operation: Operation, act: (sync: SyncDeps, target: ConnectionTarget) => Promise<unknown>): Promise<void> {
    const { instanceId, companyId, serviceId, checker: watcher } = this.#simulation
    await this.#inProcess(OPERATION_CALLS, async (process) => {
      watcher.intend(process, operation)
      await act(process.sync, { instanceId, companyId, serviceId })
    })
  }

  /** The owner follows a link and consents; sometimes with other books, which are refused if books are connected. */
  async #connect(): Promise<void> {
    const { instanceId, companyId, serviceId, random, provider, checker: watcher } = this.#simulation
    const isOther = watcher.isConnected && !this.#isSettling && random.chance(0.2)
    await this.#inProcess(2 * OPERATION_CALLS, async ({ sync }) => {
      const { open } = await openNewLink(sync, { instanceId, companyId, serviceId })
      const { connectionId } = await beginAuthorization(sync.database, open)
      provider.entity = isOther ? 'books-2' : 'books-1'
      await submitForm(sync, open, connectionId, {})
      if (isOther && watcher.isConnected) watcher.complain('other books were taken for the connected ones')
    })
    provider.entity = 'books-1'
  }

  async #hint(): Promise<void> {
    await this.#inProcess(OPERATION_CALLS, async ({ sync }) => {
      await handleWebhook(sync, simulatedSource.key, { headers: {}, query: {}, body: Buffer.from(this.#simulation.instanceId) })
    })
  }

  async #subscribe(): Promise<void> {
    if (this.#subscriptions.length >= 3) return
    await this.#inProcess(OPERATION_CALLS, async ({ webhooks }) => {
      this.#receivers += 1
      const callbackUrl = `http://receiver.example/${this.#receivers}`
      const { id } = await subscribe(webhooks, this.#simulation.instanceId, { event: 'NormalizedData', callbackUrl })
      this.#subscriptions.push(id)
    })
  }

  async #unsubscribe(): Promise<void> {
    const id = this.#subscriptions.shift()
    if (id)
      await this.#inProcess(OPERATION_CALLS, async ({ webhooks }) => void (await unsubscribe(webhooks, this.#simulation.instanceId, id)))
  }

  async #replay(): Promise<void> {
    const id = this.#subscriptions.at(-1)
    if (!id) return
    await this.#inProcess(OPERATION_CALLS, async ({ webhooks }) => {
      await replayToSubscription(webhooks, this.#simulation.instanceId, id, { events: 'undelivered', since: new Date(0) })
    })
  }
}

/** Whether an operation may fail with this error. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof ProcessDied || error instanceof ActionNotAllowed || error instanceof LinkAlreadyUsed || error instanceof EntityMismatch
  )
}
