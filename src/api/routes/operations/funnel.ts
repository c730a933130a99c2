import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Sources } from '../../../connectors/sources.ts'
import { countFunnel, type DayRange, findToday } from '../../../store/connections/link-progress.ts'
import type { Db } from '../../../store/db/database.ts'
import { readers } from '../../access/caller.ts'
import { badField } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { readInstant } from '../../lists/instant-parameter.ts'
import { strict } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const DAY_MS = 86_400_000
const DEFAULT_DAYS = 30
/** One year. */
const MAX_DAYS_AFTER = 365

const Day = Type.String({ description: 'A UTC day', examples: ['2026-11-20'] })
const DayParameter = Type.Optional(Type.String({ maxLength: 10, description: 'A UTC day; it is included', examples: ['2026-11-20'] }))
const step = (description: string) => Type.Integer({ minimum: 0, description })

const FunnelShape = strict(
  {
    from: Day,
    to: Day,
    counts: Type.Array(
      strict(
        {
          day: Type.String({ description: 'UTC day on which the links were first opened', examples: ['2026-11-20'] }),
          source: Type.String({ examples: ['quickbooks'] }),
          sourceName: Type.String({ examples: ['QuickBooks Online'] }),
          language: Type.String({ enum: ['en', 'fr'], description: 'In which the links were first opened' }),
          isFramed: Type.Boolean({ description: 'First opened in a frame of your page' }),
          opened: step('Links opened'),
          agreed: step('The owner agreed to the consent'),
          chose: step('The owner chose the bank, where there is a choice, and got to the step at the source'),
          declined: step('The owner declined, here or at the source'),
          failed: step('The source failed or refused, or other books than before were authorized'),
          left: step('The owner went to the source and did not come back in time'),
          connected: step('A connection was made'),
        },
        { title: 'FunnelCount' },
      ),
    ),
  },
  { title: 'Funnel' },
)

/** Link funnel: how far owners get with their links. */
export function funnelRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes({ database: deps.database, sources: deps.sync.sources }, [getFunnelRoute])
}

const getFunnelRoute = route(
  {
    method: 'GET',
    url: '/usage/funnel',
    replica: true,
    scope: 'operations:read',
    roles: readers,
    schema: {
      tags: ['Usage'],
      summary: 'Links by the step that their owners got to, by day, source, language and frame',
      description:
        'A link counts once per step, however often its pages are loaded, under the day, language and frame of its first opening. Links of deleted companies are not counted. More than 10,000 links are counted at most once a minute.',
      operationId: 'getFunnel',
      querystring: strict({ From: DayParameter, To: DayParameter }),
      response: { 200: FunnelShape },
    },
  },
  async ({ database, sources }: { database: Db; sources: Sources }, request) => {
    const range = await readRange(database, request.query)
    const counts = await countFunnel(database, request.caller.instanceId, range)
    return {
      ...range,
      counts: counts.map((each) => ({
        ...each,
        sourceName: sources.get(each.source)?.description.name ?? each.source,
        language: each.language === 'en' ? ('en' as const) : ('fr' as const),
      })),
    }
  },
)

/** Requested days; a 400 for days that do not exist and for more than a year. */
async function readRange(db: Db, { From, To }: { From?: string; To?: string }): Promise<DayRange> {
  const to = readDay('To', To) ?? (await findToday(db))
  const from = readDay('From', From) ?? new Date(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  if (days < 0 || days > MAX_DAYS_AFTER) throw badField('To', `must be From or one of the ${MAX_DAYS_AFTER} days after it`)
  return { from, to }
}

function readDay(name: string, text: string | undefined): string | null {
  return readInstant(name, text)?.toISOString().slice(0, 10) ?? null
}
