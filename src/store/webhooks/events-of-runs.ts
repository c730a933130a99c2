import type { Database } from '../db/database.ts'

/** Kinds of events that say what a run has published; the third part of their keys is the run. */
export const KINDS_OF_RUNS = ['RawData', 'NormalizedData', 'ReadyToUseData', 'AccountsChanged', 'TransactionsChanged']

/** Companies whose nodes did not answer, after which the others wait for the next call: each may take a time limit. */
const MAX_FAILURES = 3

interface WaitingEvent {
  id: string
  companyId: string
  runId: string
}

/**
 * On a cluster: ids of waiting events whose data the nodes show. The coordinator commits an event before a node commits the
 * data that it is about, and if the node is lost between the two, until it has recovered: such an event waits. Elsewhere
 * none, because none has to wait. Asks company by company, in another order each time, so that one lost node delays no
 * event of the others for long.
 */
export async function listShownEvents(database: Database, instanceId: string): Promise<string[]> {
  if (!database.isDistributed) return []
  const { rows } = await database.query<WaitingEvent>(
    `select id, company_id as "companyId", split_part(dedupe_key, '/', 3) as "runId" from only events
       where instance_id = $1 and position is null and kind = any($2) order by random()`,
    [instanceId, KINDS_OF_RUNS],
  )
  const shown: string[] = []
  let failures = 0
  for (const [companyId, events] of Map.groupBy(rows, (row) => row.companyId)) {
    if (failures === MAX_FAILURES) break
    const unfinished = await listUnfinished(database, { instanceId, companyId, runIds: events.map(({ runId }) => runId) })
    if (unfinished === null) failures += 1
    else shown.push(...events.filter(({ runId }) => !unfinished.has(runId)).map(({ id }) => id))
  }
  return shown
}

/** Those of the runs that the nodes do not show as ended; null where a node does not answer. */
async function listUnfinished(
  database: Database,
  { instanceId, companyId, runIds }: { instanceId: string; companyId: string; runIds: string[] },
): Promise<Set<string> | null> {
  try {
    const { rows } = await database.query<{ id: string }>(
      `select id from sync_runs where instance_id = $1 and company_id = $2 and id::text = any($3) and state = 'running'`,
      [instanceId, companyId, runIds],
    )
    return new Set(rows.map(({ id }) => id))
  } catch {
    // What is wrong with a node is said by the syncs and reads that need it; the next call asks again.
    return null
  }
}
