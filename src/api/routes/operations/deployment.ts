import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import type { DeploymentPause } from '../../../store/db/deployment-pause.ts'
import { countJobsOf } from '../../../store/jobs/queue-depth.ts'
import { admins, readers } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { orNull, PlainTimestamp, strict } from '../../schemas/schemas.ts'
import type { RouteDeps } from '../route-deps.ts'

const tags = ['Jobs']

const QueueShape = strict(
  {
    kind: Type.String({ examples: ['sync'] }),
    waiting: Type.Integer(),
    running: Type.Integer(),
    dead: Type.Integer({ description: 'Set aside for a person after their last attempt' }),
    lagSeconds: Type.Number({ description: 'How long the longest due job has waited' }),
  },
  { title: 'Queue' },
)

const PauseShape = strict(
  {
    reason: Type.Enum(['restored', 'requested'], {
      description: 'restored: this is a copy made from a backup; requested: an operator paused it',
    }),
    since: PlainTimestamp,
  },
  { title: 'DeploymentPause', description: 'While paused, the deployment answers reads only: no syncs, no webhooks, no mails' },
)

/** The deployment, and the queues of the caller's instance in it. */
export function deploymentRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [getDeploymentRoute, listQueuesRoute])
}

const getDeploymentRoute = route(
  {
    method: 'GET',
    url: '/deployment',
    scope: 'operations:read',
    roles: readers,
    schema: {
      tags,
      summary: 'Which deployment this is',
      operationId: 'getDeployment',
      response: {
        200: strict(
          { environment: Type.Enum(['sandbox', 'production']), publicUrl: Type.String(), pause: orNull(PauseShape) },
          { title: 'Deployment' },
        ),
      },
    },
  },
  async (deps: RouteDeps) => ({
    environment: deps.sandbox ? ('sandbox' as const) : ('production' as const),
    publicUrl: deps.settings.publicUrl,
    pause: toPauseShape((await deps.pause?.find()) ?? null),
  }),
)

function toPauseShape(pause: DeploymentPause | null) {
  return pause && { reason: pause.reason, since: toPlainTimestamp(pause.pausedAt) }
}

const listQueuesRoute = route(
  {
    method: 'GET',
    url: '/jobs/queues',
    scope: 'operations:read',
    roles: admins,
    schema: {
      tags,
      summary: 'What waits, runs and has died, by kind of job',
      operationId: 'listQueues',
      response: { 200: Type.Array(QueueShape) },
    },
  },
  async (deps: RouteDeps, request) => await countJobsOf(deps.database, request.caller.instanceId),
)
