import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type Change, recordChange } from '../../../audit/record.ts'
import { nameOfClient } from '../../../connectors/contract/rate-limiter.ts'
import { isTestInstance } from '../../../store/access/instances.ts'
import { type Database, inTransaction } from '../../../store/db/database.ts'
import { announceJobs } from '../../../store/jobs/jobs.ts'
import { forgetFailures } from '../../../store/sources/source-recovery.ts'
import { admins, type Caller, readers } from '../../access/caller.ts'
import { badField, notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { strict } from '../../schemas/schemas.ts'
import type { SandboxControls, SimulatorState } from '../sandbox-controls.ts'

const MAX_TIMES = 1_000
const MAX_MOVE_SECONDS = 400 * 24 * 3600

const SimulatorShape = strict(
  {
    key: Type.String({ examples: ['quickbooks'] }),
    url: Type.String(),
    faults: Type.Array(Type.String(), { description: 'Names of what it can be made to do wrong' }),
    armed: Type.Array(strict({ name: Type.String(), times: Type.Integer() }), {
      description: 'Asked for since the faults were last cleared; some may have happened already',
    }),
    clockMovedSeconds: Type.Integer({ description: 'How far its clock is ahead' }),
  },
  { title: 'Simulator' },
)

const params = strict({ key: Type.String({ minLength: 1, maxLength: 60 }) })
const tags = ['Sandbox']
const PATH = '/sandbox/simulators/:key'

type Deps = { controls: SandboxControls } & { database: Database }

/** Simulator controls for developers. These routes exist in the sandbox only. */
export function sandboxRoutes(controls: SandboxControls, database: Database): FastifyPluginAsyncTypebox {
  return routes({ controls, database }, [listSimulatorsRoute, armFaultRoute, clearFaultsRoute, moveClockRoute])
}

const listSimulatorsRoute = route(
  {
    method: 'GET',
    url: '/sandbox/simulators',
    scope: 'operations:read',
    roles: readers,
    schema: {
      tags,
      summary: 'The simulators, and what they can be made to do wrong',
      operationId: 'listSimulators',
      response: { 200: Type.Array(SimulatorShape) },
    },
  },
  async ({ controls, database }: Deps, { caller }) =>
    (await isTestInstance(database, caller.instanceId)) ? (await controls.list(caller.instanceId)).map(present) : [],
)

const armFaultRoute = route(
  {
    method: 'POST',
    url: `${PATH}/faults`,
    scope: 'operations:write',
    roles: admins,
    audit: 'simulator.fault-armed',
    schema: {
      tags,
      summary: 'Make a simulator do something wrong at the next fitting requests',
      operationId: 'armFault',
      params,
      body: strict(
        {
          name: Type.String({ minLength: 1, maxLength: 100 }),
          times: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TIMES, default: 1 })),
        },
        { examples: [{ name: 'unavailable', times: 3 }] },
      ),
      response: { 200: SimulatorShape },
    },
  },
  async ({ controls, database }: Deps, { caller, params: { key }, body }) => {
    const { name, times = 1 } = body
    await requireTest(database, caller)
    try {
      const simulator = await controls.fault(caller.instanceId, key, name, times)
      const change = { ...changeOf(caller, key), action: 'simulator.fault-armed', details: { name, times } } as const
      if (simulator) await inTransaction(database, (db) => recordChange(db, change))
      return known(simulator)
    } catch (error) {
      if (error instanceof RangeError) throw badField('name', 'is not a fault of this simulator')
      throw error
    }
  },
)

const clearFaultsRoute = route(
  {
    method: 'DELETE',
    url: `${PATH}/faults`,
    scope: 'operations:write',
    roles: admins,
    audit: 'simulator.faults-cleared',
    schema: {
      tags,
      summary: 'Let a simulator do all right again, and whatever waits because of its faults go on at once',
      operationId: 'clearFaults',
      params,
      response: { 200: SimulatorShape },
    },
  },
  async (deps: Deps, { caller, params: { key } }) => {
    await requireTest(deps.database, caller)
    const change = { ...changeOf(caller, key), action: 'simulator.faults-cleared' } as const
    return await begunAnew(deps, caller, key, await deps.controls.clearFaults(caller.instanceId, key), change)
  },
)

const moveClockRoute = route(
  {
    method: 'POST',
    url: `${PATH}/clock`,
    scope: 'operations:write',
    roles: admins,
    audit: 'simulator.clock-moved',
    schema: {
      tags,
      summary: 'Move the clock of a simulator forward, so that its tokens and consents expire and its limits begin again',
      operationId: 'moveClock',
      params,
      body: strict({ seconds: Type.Integer({ minimum: 1, maximum: MAX_MOVE_SECONDS }) }, { examples: [{ seconds: 3600 }] }),
      response: { 200: SimulatorShape },
    },
  },
  async (deps: Deps, { caller, params: { key }, body }) => {
    await requireTest(deps.database, caller)
    const change = { ...changeOf(caller, key), action: 'simulator.clock-moved', details: { seconds: body.seconds } } as const
    return await begunAnew(deps, caller, key, await deps.controls.moveClock(caller.instanceId, key, body.seconds * 1000), change)
  },
)

/** After a simulated recovery or clock change: clears the delays from before. */
async function begunAnew({ database }: Deps, { instanceId }: Caller, key: string, simulator: SimulatorState | null, change: Change) {
  if (simulator) {
    await inTransaction(database, async (db) => {
      await forgetFailures(db, { client: nameOfClient({ connectorKey: key, app: instanceId }), connectorKey: key, instanceId })
      await announceJobs(db)
      await recordChange(db, change)
    })
  }
  return known(simulator)
}

function changeOf({ instanceId }: Caller, key: string) {
  return { instanceId, subject: `simulator/${key}` }
}

function known(simulator: SimulatorState | null) {
  if (!simulator) throw notFound('simulator')
  return present(simulator)
}

function present({ key, url, faults, armed, clockMovedMs }: SimulatorState) {
  return { key, url, faults: [...faults], armed: [...armed], clockMovedSeconds: Math.round(clockMovedMs / 1000) }
}

/** Throws a 404 for callers of live instances, to whom simulators do not exist. */
async function requireTest(database: Database, { instanceId }: Caller): Promise<void> {
  if (!(await isTestInstance(database, instanceId))) throw notFound('simulator')
}
