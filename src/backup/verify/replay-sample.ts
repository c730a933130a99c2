import { randomUUID } from 'node:crypto'
import { type Connector, SourceError } from '../../connectors/contract/contract.ts'
import type { Source, Sources } from '../../connectors/sources.ts'
import { type Connection, findConnection } from '../../store/connections/connections.ts'
import type { Database } from '../../store/db/database.ts'
import { SealError, type Sealer } from '../../store/keys/sealing.ts'
import { listPagesToReplay, listPublishedConnections } from '../../store/records/replay-records.ts'
import type { PageObjects } from '../../sync/context/groups.ts'
import { ObjectMissing } from '../../sync/pages/complete-value.ts'
import { replayPage } from '../../sync/replay/replay-page.ts'
import { openPage } from '../../sync/runs/raw-page-store.ts'
import { findService } from '../../sync/sources/catalogue.ts'

export interface ReplaySample {
  /** Records whose bytes are the published ones. */
  identical: number
  different: number
  /** Ids of the first records that differ. */
  examples: string[]
  /** Pages that could not be read again. */
  unreadablePages: number
}

interface ReplayDeps {
  database: Database
  sealer: Sealer
  /** Absent: pages in object storage count as unreadable. */
  pageObjects?: PageObjects
  sources: Sources
}

interface Work {
  connection: Connection
  source: Pick<Source, 'files' | 'description'>
  connector: Connector
  serviceName: string
}

const MAX_CONNECTIONS = 200
/** Records of one connection, so that a sample has several. */
const MAX_OF_CONNECTION = 250
const MAX_EXAMPLES = 5

/**
 * Normalizes stored pages again until `wanted` records are compared with what is published; changes nothing. Connections
 * are taken in a random order.
 */
export async function replaySample(deps: ReplayDeps, wanted: number, signal: AbortSignal): Promise<ReplaySample> {
  const sample: ReplaySample = { identical: 0, different: 0, examples: [], unreadablePages: 0 }
  const count = () => sample.identical + sample.different
  for (const { instanceId, connectionId } of await listPublishedConnections(deps.database, randomUUID(), MAX_CONNECTIONS)) {
    const work = await findWork(deps, instanceId, connectionId)
    const end = Math.min(wanted, count() + MAX_OF_CONNECTION)
    if (!work) continue
    for (const { id } of await listPagesToReplay(deps.database, instanceId, connectionId)) {
      signal.throwIfAborted()
      if (count() >= end) break
      await comparePage(deps, work, id, { sample, end }).catch((error: unknown) => {
        if (!(error instanceof SealError || error instanceof SourceError || error instanceof ObjectMissing)) throw error
        sample.unreadablePages += 1
      })
    }
    if (count() >= wanted) break
  }
  return sample
}

async function findWork(deps: ReplayDeps, instanceId: string, connectionId: string): Promise<Work | null> {
  const connection = await findConnection(deps.database, instanceId, connectionId)
  const service = connection && (await findService(deps.database, deps.sources, instanceId, connection.serviceId))
  if (!connection || !service) return null
  return { connection, source: service.source, connector: await service.source.load(), serviceName: service.name }
}

async function comparePage(
  deps: ReplayDeps,
  work: Work,
  id: string,
  { sample, end }: { sample: ReplaySample; end: number },
): Promise<void> {
  const page = await openPage(deps.database, deps, { ...work.connection, id })
  const pull = work.connector.pulls.find(({ name }) => name === page?.pull)
  if (!page || !pull) {
    sample.unreadablePages += 1
    return
  }
  for await (const { records } of replayPage(deps.database, work, { id, pull, answers: page.answers, fetchedAt: page.fetchedAt })) {
    for (const { record, before } of records) {
      if (sample.identical + sample.different >= end) return
      // Quarantined until now: nothing is published to compare with.
      if (before === null) continue
      if (before === record.doc) sample.identical += 1
      else sample.different += 1
      if (before !== record.doc && sample.examples.length < MAX_EXAMPLES) sample.examples.push(record.id)
    }
  }
}
