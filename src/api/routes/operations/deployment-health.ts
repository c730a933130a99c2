import { Type } from 'typebox'
import type { Sources } from '../../../connectors/sources.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { Database } from '../../../store/db/database.ts'
import { countWorkers, listPauses, readStorage } from '../../../store/db/deployment-health.ts'
import { listAlarms } from '../../../store/sources/source-alarms.ts'
import { listBreakerStates } from '../../../store/sources/source-breakers.ts'
import { listLimitUse } from '../../../store/sources/source-limits.ts'
import { orNull, PlainTimestamp, strict } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const SHOWN_TABLES = 10

const Count = Type.Integer({ minimum: 0 })

const SourceHealth = strict(
  {
    key: Type.String({ examples: ['quickbooks'] }),
    name: Type.String(),
    environment: Type.String({ enum: ['sandbox', 'production'] }),
    isRefusingKeys: Type.Boolean(),
    pausedUntil: orNull(PlainTimestamp),
    breaker: Type.String({
      enum: ['closed', 'half-open', 'open'],
      description: 'The worst of its addresses: open means that it fails and is left alone',
    }),
    limits: Type.Array(strict({ name: Type.String(), remaining: Type.Integer({ description: 'The fewest calls left, over all books' }) })),
  },
  { title: 'SourceHealth' },
)
export const HealthShape = strict(
  {
    workers: strict({ count: Count, slots: Type.Integer({ description: 'Jobs that they run at once' }) }),
    sources: Type.Array(SourceHealth, { description: 'Those that were called lately or refuse the operator’s keys' }),
    storage: strict({
      databaseBytes: Type.Integer(),
      tables: Type.Array(strict({ name: Type.String(), bytes: Type.Integer() }), { description: 'The largest, with their indexes' }),
    }),
  },
  { title: 'DeploymentHealth' },
)

const WORSE = { closed: 0, 'half-open': 1, open: 2 } as const

/** Health of the deployment, which instances share: for operators alone. */
export async function readDeploymentHealth({ database, sync }: Pick<RouteDeps, 'database' | 'sync'>) {
  const { workers, slots } = await countWorkers(database)
  return {
    workers: { count: workers, slots },
    sources: await listSources(database, sync.sources),
    storage: await readStorage(database, SHOWN_TABLES),
  }
}

async function listSources(database: Database, sources: Sources) {
  const [alarms, breakers, limits, pauses] = await Promise.all([
    listAlarms(database),
    listBreakerStates(database),
    listLimitUse(database),
    listPauses(database),
  ])
  // An instance's own app has its own counts, marked by a #.
  const isOf = (key: string) => (each: { connectorKey: string }) => each.connectorKey.split('#')[0] === key
  return [...sources.values()].flatMap(({ description: { key, name }, environment }) => {
    const states = breakers.filter(isOf(key)).map(({ state }) => state)
    const own = limits.filter(isOf(key))
    const pause = pauses.find(isOf(key))
    const isRefusingKeys = alarms.includes(key)
    if (states.length + own.length === 0 && !pause && !isRefusingKeys) return []
    const breaker = states.toSorted((one, other) => WORSE[other] - WORSE[one])[0] ?? ('closed' as const)
    const remaining = [...Map.groupBy(own, (limit) => limit.name)].map(([limit, uses]) => ({
      name: limit,
      remaining: Math.min(...uses.map((use) => use.remaining)),
    }))
    return [
      { key, name, environment, isRefusingKeys, pausedUntil: pause ? toPlainTimestamp(pause.until) : null, breaker, limits: remaining },
    ]
  })
}
