import { randomUUID } from 'node:crypto'
import type { Answers, Connector, Pull } from '../../src/connectors/contract/contract.ts'
import type { MapContext } from '../../src/connectors/contract/mapping.ts'
import { connectors } from '../../src/connectors/registry.ts'
import { createSources, type Source } from '../../src/connectors/sources.ts'
import { createKit } from '../../src/connectors/toolkit/http/kit.ts'
import { createEgress } from '../../src/egress/egress.ts'
import { toServiceId } from '../../src/model/catalogue.ts'
import type { Json } from '../../src/model/values/json.ts'
import { createInstance } from '../../src/store/access/instances.ts'
import { createCompany } from '../../src/store/connections/companies.ts'
import { findConnection } from '../../src/store/connections/connections.ts'
import { openDatabase } from '../../src/store/db/database.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { tokenHasher } from '../../src/store/keys/token-hash.ts'
import { beginAuthorization, completeRedirect, startRedirect, submitForm } from '../../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { openCredentials } from '../../src/sync/credentials/credentials-open.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import { findShapeFault } from '../../src/sync/runs/normalize.ts'
import { runSync } from '../../src/sync/runs/run.ts'
import { callbackOf } from '../../test/harness/app/callback-of.ts'
import { residentMiB } from '../processes.ts'
import { agree, typed } from './owner.ts'
import { GIANT_SOURCES } from './sources.ts'

export interface MeasureRequest {
  key: string
  url: string
  databaseUrl: string
  dataDir: string
  /** Seconds for which the mapping is timed. */
  seconds: number
}

export interface Measured {
  seconds: number
  /** Processor time of the syncing process alone, without the simulator and PostgreSQL. */
  processorSeconds: number
  /** Peak resident memory of the process during the sync, above its initial value. */
  addedMiB: number
  accounts: number
  mappedPerSecond: number
  /** Records per second: reading stored answers, validating and mapping each record. */
  normalizedPerSecond: number
}

const SAMPLE_MS = 20

/**
 * Measures one connector in its own process: links the giant, syncs it, then times the mapping of the stored answers.
 */
async function measure(request: MeasureRequest): Promise<Measured> {
  const database = openDatabase(request.databaseUrl, { max: 4 })
  const egress = createEgress({ allowPrivate: true })
  const sync = await openSync(request, database, egress)
  try {
    const source = sync.sources.get(request.key)
    if (!source) throw new Error(`unknown source ${request.key}`)
    const place = await link(sync, source, request.url)
    const timed = await timeSync(sync, place)
    const { rows } = await database.query<{ accounts: number }>(
      `select count(*)::int as accounts from record_versions where instance_id = $1 and entity = 'Accounts'`,
      [place.instanceId],
    )
    const pages = await fetchAccounts(sync, source, place)
    const connector = await source.load()
    return { ...timed, accounts: rows[0]?.accounts ?? 0, ...timeMapping(connector, pages, request.seconds * 1_000) }
  } finally {
    await egress.close()
    await database.end()
  }
}

async function openSync(
  { key, url, dataDir }: MeasureRequest,
  database: ReturnType<typeof openDatabase>,
  egress: ReturnType<typeof createEgress>,
): Promise<SyncDeps> {
  const keys = await openKeys(dataDir)
  const now = () => new Date()
  const described = connectors.filter((each) => each.key === key)
  const hosts = Object.fromEntries(described.flatMap((each) => Object.keys(each.hosts)).map((name) => [name, url]))
  return {
    database,
    sealer: createSealer(keys),
    sources: createSources(described, {
      settings: {},
      simulators: { [key]: { app: GIANT_SOURCES[key]?.app ?? {}, hosts: { ...hosts, simulator: url } } },
      createKit: (app, known) => createKit({ egress, app, hosts: known, now, allowPrivate: true }),
    }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    hide: () => undefined,
    now,
    readLeaseMs: 0,
    hashToken: tokenHasher(keys),
    baseUrl: 'http://127.0.0.1:8480',
  }
}

interface ConnectionKey {
  instanceId: string
  connectionId: string
}

async function link(sync: SyncDeps, source: Source, url: string): Promise<ConnectionKey> {
  const [instanceId, companyId] = [randomUUID(), randomUUID()]
  await createInstance(sync.database, { id: instanceId, name: 'Bench' })
  const details = { industry: '', fullAddress: '', country: 'CA', city: 'Montréal', companyContactNumber: '' }
  await createCompany(sync.database, instanceId, companyId, { name: 'Giant Holdings', ...details })
  const serviceId = toServiceId(source.description.key)
  const linkToken = new URL(await issueLink(sync, { instanceId, companyId, serviceId, issuedBy: 'bench' })).searchParams.get('token') ?? ''
  const open = await openLink(sync, linkToken)
  if (!open) throw new Error('the link cannot be opened')
  const { connectionId } = await beginAuthorization(sync.database, open)
  const { authorize } = await source.load()
  if (authorize.step === 'form') await submitForm(sync, open, connectionId, typed(source.description.key, url, authorize))
  else {
    const started = await startRedirect(sync, open, { connectionId, linkToken, locale: 'en' })
    if (started.step === 'widget') throw new Error('a widget needs a browser')
    const returned = await agree(started.url)
    const query = Object.fromEntries(returned.searchParams)
    await completeRedirect(sync, { state: query.state ?? '', linkToken, callback: callbackOf(returned.href), query })
  }
  return { instanceId, connectionId }
}

async function timeSync(sync: SyncDeps, place: ConnectionKey): Promise<Pick<Measured, 'seconds' | 'processorSeconds' | 'addedMiB'>> {
  globalThis.gc?.()
  const beforeMiB = await residentMiB(process.pid)
  let peakMiB = beforeMiB
  const sampler = setInterval(() => {
    peakMiB = Math.max(peakMiB, process.memoryUsage.rss() / 1_048_576)
  }, SAMPLE_MS)
  const [startedMs, usedBefore] = [performance.now(), process.cpuUsage()]
  await runSync(sync, { ...place, reason: 'first', isAwaited: false, isStopping: () => false })
  const seconds = (performance.now() - startedMs) / 1_000
  const { user, system } = process.cpuUsage(usedBefore)
  clearInterval(sampler)
  return {
    seconds,
    processorSeconds: (user + system) / 1e6,
    addedMiB: Math.max(peakMiB, process.memoryUsage.rss() / 1_048_576) - beforeMiB,
  }
}

interface PageOf {
  pull: Pull
  answers: Answers
}

async function fetchAccounts(sync: SyncDeps, source: Source, place: ConnectionKey): Promise<PageOf[]> {
  const connection = await findConnection(sync.database, place.instanceId, place.connectionId)
  const connector = await source.load()
  const [pull] = connector.pulls
  if (!connection || !pull) throw new Error('nothing to read')
  const { credentials } = await openCredentials(sync, source, connector, connection)
  const session = { kit: source.kit, credentials, entityId: connection.entityId ?? '', nextFile: async () => null }
  const pages: PageOf[] = []
  for (let cursor: Json | null = null; ; ) {
    const page = await pull.fetch(session, cursor)
    pages.push({ pull, answers: page.answers })
    if (page.next === null) return pages
    cursor = page.next
  }
}

function timeMapping(
  connector: Connector,
  pages: readonly PageOf[],
  forMs: number,
): Pick<Measured, 'mappedPerSecond' | 'normalizedPerSecond'> {
  const mapping = connector.entities.Accounts
  const fields = Object.values(mapping.map.fields)
  const context: MapContext = { fetchedAt: new Date(), unmapped: () => undefined }
  const map = (wire: unknown) => {
    for (const read of fields) read(wire, context)
  }
  const readPages = () => pages.flatMap(({ pull, answers }) => [...pull.read(answers)])
  const wires = readPages().flatMap((item) => ('wire' in item ? [item.wire] : []))
  const mappedPerSecond = rateOf(forMs, () => {
    for (const wire of wires) map(wire)
    return wires.length
  })
  const normalizedPerSecond = rateOf(forMs, () => {
    const items = readPages()
    for (const item of items) if ('wire' in item && findShapeFault(mapping, item.wire) === null) map(item.wire)
    return items.length
  })
  return { mappedPerSecond, normalizedPerSecond }
}

/**
 * Units per second of processor time, which other load on the machine does not affect; the first pass is a warm-up and
 * not counted.
 */
function rateOf(forMs: number, pass: () => number): number {
  pass()
  const startedMs = usedMs()
  let count = 0
  while (usedMs() - startedMs < forMs) count += pass()
  return (count / (usedMs() - startedMs)) * 1_000
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

process.send?.(await measure(JSON.parse(process.argv[2] ?? '') as MeasureRequest))
process.disconnect?.()
