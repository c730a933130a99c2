import type { Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { runSync } from '../../../src/sync/runs/run.ts'
import { openHooksHarness } from '../../hooks/harness.ts'

/** The real engine with one connection to a live source. */
export interface Engine {
  /** Runs one sync; throws the source's error. */
  sync(): Promise<'published' | 'unchanged'>
  /** Number of versions of each record, by entity and the source's id; deletions count. */
  countVersions(): Promise<Map<string, number>>
  /** Called with the number of each request before its response is awaited; restarts at each run. */
  onRequest: (number: number) => Promise<void>
  close(): Promise<void>
}

export async function openEngine(connectorKey: string, kit: Kit, grant: Grant): Promise<Engine> {
  let requests = 0
  const harness = await openHooksHarness({
    [connectorKey]: {
      ...kit,
      http: async (request) => {
        const answer = kit.http(request)
        answer.catch(() => undefined)
        requests += 1
        await engine.onRequest(requests)
        return await answer
      },
    },
  })
  const { instanceId, sync } = harness
  const reference = grant.entity.id
  const connectionId = await harness.addConnection({ connectorKey, reference, status: 9, credentials: grant.credentials })
  const engine: Engine = {
    sync: async () => {
      requests = 0
      return await runSync(sync, { instanceId, connectionId, reason: 'schedule', isAwaited: false, isStopping: () => false })
    },
    countVersions: async () => {
      const { rows } = await sync.database.query<{ record: string; versions: number }>(
        `select entity || ' ' || orig_id as record, count(*)::int as versions from record_versions where instance_id = $1 group by 1`,
        [instanceId],
      )
      return new Map(rows.map(({ record, versions }) => [record, versions]))
    },
    onRequest: async () => {},
    close: () => harness.close(),
  }
  return engine
}

/** Records with a different number of versions than before. */
export function changedSince(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): string[] {
  return [...now].filter(([record, versions]) => before.get(record) !== versions).map(([record]) => record)
}

/** Number of times that each word occurs. */
export function countEach(words: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))
}
