import { listRuns } from '../../../src/store/connections/connection-history.ts'
import { findConnection } from '../../../src/store/connections/connections.ts'
import type { StoredRun } from '../../../src/store/connections/sync-runs.ts'
import type { Database } from '../../../src/store/db/database.ts'
import { listQuarantined } from '../../../src/store/records/quarantine.ts'

interface HarnessScope {
  deps: { database: Database }
  instanceId: string
}

/** Newest runs of a connection. */
export async function runsOf(harness: HarnessScope, connectionId: string, limit: number): Promise<StoredRun[]> {
  return await listRuns(harness.deps.database, await ownerOf(harness, connectionId), limit)
}

export async function quarantineOf(harness: HarnessScope, connectionId: string): ReturnType<typeof listQuarantined> {
  return await listQuarantined(harness.deps.database, await ownerOf(harness, connectionId))
}

async function ownerOf({ deps, instanceId }: HarnessScope, connectionId: string) {
  const connection = await findConnection(deps.database, instanceId, connectionId)
  if (!connection) throw new Error('there is no such connection')
  return connection
}
