import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { HttpRequest } from '../../src/connectors/contract/contract.ts'
import { serveHttp } from '../../src/egress/loopback-server.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import type { CrashPoint } from '../../src/model/crash-points.ts'
import type { Database } from '../../src/store/db/database.ts'
import { endLeases } from '../../src/store/jobs/leases.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { requestRefresh } from '../../src/sync/connection/connection-actions.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { issueLink } from '../../src/sync/links/link.ts'
import { subscribe } from '../../src/webhooks/subscriptions.ts'
import { linkByForm } from '../harness/app/owner-link.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'
import { readRequest } from '../harness/webhook-receiver.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { until } from '../process/deadline.ts'
import { simulatedSource } from '../simulation/connector.ts'
import { Provider } from '../simulation/provider.ts'
import { Random } from '../simulation/random.ts'
import { createSync, type EngineParts, startEngine } from './engine.ts'

/** Retry delays double up to a minute and more. */
const FINISH_MS = 60_000
const WORKER = join(import.meta.dirname, 'worker-process.ts')
/** Application name of a worker's database sessions. */
const WORKER_NAME = 'crash-worker'

/**
 * A customer with companies whose books are at one source, a receiver of events, and worker processes that can be
 * killed.
 */
export interface CrashHarness {
  database: Database
  sync: SyncDeps
  random: Random
  provider: Provider
  /** Offset of the source's clock to the machine's. */
  aheadMs: number
  receiver: Receiver
  instanceId: string
  companyIds: string[]
  /** Problems that the receiver found when an event arrived. */
  complaints: string[]
  /** For an engine in this process. */
  engineParts: Pick<EngineParts, 'database' | 'keys' | 'sourceUrl'>
  /** Resolves after `count` further requests to the source or the receiver. */
  contacts(count: number): Promise<void>
  addCompany(): Promise<string>
  /** Creates a link; returns its token. */
  link(companyId: string): Promise<string>
  connect(companyId: string): Promise<void>
  refreshAll(): Promise<void>
  target(companyId: string): { instanceId: string; companyId: string; serviceId: string }
  startWorker(options?: WorkerOptions): Promise<WorkerProcess>
  /** Runs jobs and deliveries in this process until none is left. */
  finish(): Promise<void>
  /** Waits until the workers have nothing left to do. */
  whenDone(): Promise<void>
  close(): Promise<void>
}

export interface WorkerOptions {
  /** Crash point at which it kills itself. */
  point?: CrashPoint
  /** Token of a link that it follows as the owner. */
  token?: string | undefined
  environment?: Record<string, string>
}

export interface WorkerProcess {
  /** Kills it and expires its leases. */
  kill(): Promise<void>
  /** Resolves once it killed itself at its crash point; expires its leases. */
  died(): Promise<void>
}

export async function openCrashHarness(database: Database, databaseUrl: string, seed: number): Promise<CrashHarness> {
  const keysFolder = await mkdtemp(join(tmpdir(), 'countinghouse-crash-'))
  const keys = await openKeys(keysFolder)
  const random = new Random(seed)
  const provider = new Provider(random, () => Date.now() + harness.aheadMs)
  provider.faultShare = 0
  provider.overlapShare = 0
  const waiting: { left: number; resolve(): void }[] = []
  const contact = (): void => {
    for (const one of waiting) {
      one.left -= 1
      if (one.left <= 0) one.resolve()
    }
  }
  const source = await serveHttp((request, response) => {
    void toRequest(request).then((asked) => {
      const { response: answer } = provider.answer(asked)
      contact()
      response.writeHead(answer?.status ?? 503, answer?.headers).end(answer?.body)
    })
  })
  const complaints: string[] = []
  const instanceId = await addInstance(database, 'Crash Lender')
  const receiver = await openReceiver(async ({ event: { Identifier } }) => {
    contact()
    // The database may be away, or a node of it.
    const { wrong } = await until('the database answers', () =>
      findPrematureEvent(database, instanceId, Identifier).then(
        (wrong) => ({ wrong }),
        () => null,
      ),
    )
    if (wrong) complaints.push(`${Identifier}: ${wrong}`)
  })
  const engineParts = { database, keys, sourceUrl: source.url }
  const sync = createSync({ ...engineParts, onError: (error) => complaints.push(String(error)) })
  const serviceId = toServiceId(simulatedSource.key)
  await subscribe({ database, sealer: sync.sealer, callbackRules: { allowPrivate: true } }, instanceId, {
    event: 'NormalizedData',
    callbackUrl: receiver.url,
  })
  const companyIds: string[] = []
  const children = new Set<ChildProcess>()
  const harness: CrashHarness = {
    ...{ database, sync, random, provider, receiver, instanceId, companyIds, complaints, engineParts },
    aheadMs: 0,
    contacts: (count) => new Promise((resolve) => void waiting.push({ left: count, resolve })),
    addCompany: async () => {
      const companyId = await addCompany(database, instanceId, { name: `Company ${companyIds.length}` })
      companyIds.push(companyId)
      return companyId
    },
    link: async (companyId) => {
      const address = await issueLink(sync, { instanceId, companyId, serviceId, issuedBy: 'dev@example.com' })
      return new URL(address).searchParams.get('token') ?? ''
    },
    connect: async (companyId) => {
      await linkByForm(sync, harness.target(companyId))
    },
    refreshAll: async () => {
      for (const companyId of companyIds) await requestRefresh(sync, harness.target(companyId))
    },
    target: (companyId) => ({ instanceId, companyId, serviceId }),
    startWorker: async ({ point, token = '', environment = {} } = {}) => {
      const child = spawn(process.execPath, [WORKER, databaseUrl, WORKER_NAME, keysFolder, source.url, point ?? '', token], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children.add(child)
      let faults = ''
      child.stderr.on('data', (chunk: Buffer) => {
        faults += chunk.toString()
      })
      const ended = once(child, 'close')
      const early = ended.then(() => Promise.reject(new Error(`the worker ended by itself: ${faults}`)))
      await Promise.race([once(createInterface({ input: child.stdout }), 'line'), point === undefined ? early : ended])
      early.catch(() => 'from now on an end is what a test asks for')
      const leave = async (): Promise<void> => {
        await ended
        children.delete(child)
        if (child.signalCode !== 'SIGKILL') complaints.push(`a worker ended with ${child.exitCode}: ${faults}`)
        // Statements sent before the kill may still commit, and take new leases.
        await until('the database has noticed the death', async () => ((await countSessions(database, WORKER_NAME)) === 0 ? true : null))
        await endLeases(database)
      }
      return {
        kill: async () => {
          child.kill('SIGKILL')
          await leave()
        },
        died: leave,
      }
    },
    finish: async () => {
      await endLeases(database)
      const engine = startEngine({ ...engineParts, onError: (error) => complaints.push(String(error)) })
      try {
        await harness.whenDone()
      } finally {
        await engine.stop()
      }
    },
    whenDone: async () => {
      await until('nothing is left to do', async () => ((await countWaiting(database)) === 0 ? true : null), FINISH_MS).catch(
        async (error: unknown) => {
          const { rows } = await database.query(
            `select json_build_object('kind', kind, 'state', state, 'attempts', attempts, 'payload', payload, 'run_at', run_at, 'error', error) from jobs
             union all select json_build_object('delivery', event_id, 'due_at', due_at, 'attempts', attempt_count) from deliveries where status = 'pending'
             union all select json_build_object('event', id, 'key', dedupe_key) from events where position is null`,
          )
          throw new Error(`not finished: ${JSON.stringify(rows)}; ${complaints.join('; ')}`, { cause: error })
        },
      )
    },
    close: async () => {
      for (const child of children) child.kill('SIGKILL')
      await receiver.close()
      await source.close()
      await sync.egress.close()
      await rm(keysFolder, { recursive: true, force: true })
    },
  }
  return harness
}

/** Changes the books as the owner would. */
export function changeBooks({ provider, random }: Pick<CrashHarness, 'provider' | 'random'>): void {
  for (const collection of ['accounts', 'entries'] as const) {
    const known = [...provider.records[collection].values()]
    const number = known.length + random.below(1_000_000)
    provider.put(collection, { id: `${collection[0]}${number}`, name: `name ${number}`, kind: 'asset', isBroken: false })
    for (const record of known.slice(0, 3)) provider.put(collection, { ...record, name: `name ${random.below(1_000_000)}` })
    if (known.length > 12) provider.remove(collection, random.pick(known).id)
  }
}

async function countWaiting(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select ((select count(*) from jobs where state <> 'dead') + (select count(*) from deliveries where status = 'pending')
       + (select count(*) from events where position is null))::int as count`,
  )
  return rows[0]?.count ?? 0
}

async function countSessions(database: Database, name: string): Promise<number> {
  const text = 'select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = $1'
  const { rows } = await database.query<{ count: number }>(text, [name])
  return rows[0]?.count ?? 0
}

/**
 * Why an event arrived before its cause was committed; null if it did not. NOTE the event is on the coordinator of a
 * cluster, its run on a node: two statements, and a run that has ended stays so.
 */
async function findPrematureEvent(database: Database, instanceId: string, identifier: string): Promise<string | null> {
  const [kind = '', id] = identifier.split('.')
  const { rows } = await database.query<{ runId: string }>(
    `select split_part(dedupe_key, '/', 3) as "runId" from events where instance_id = $1 and id = $2`,
    [instanceId, id],
  )
  const [row] = rows
  if (!row) return 'the event does not exist'
  if (!['RawData', 'NormalizedData', 'ReadyToUseData'].includes(kind)) return null
  const found = await database.query<{ state: string }>('select state from sync_runs where instance_id = $1 and id::text = $2', [
    instanceId,
    row.runId,
  ])
  const state = found.rows[0]?.state ?? null
  return state !== null && !['published', 'unchanged'].includes(state) ? `its run is ${state}` : null
}

async function toRequest(request: IncomingMessage): Promise<HttpRequest> {
  const { headers, body } = await readRequest(request)
  return { url: `http://source.example${request.url ?? '/'}`, headers, body: Buffer.from(body).toString() }
}
