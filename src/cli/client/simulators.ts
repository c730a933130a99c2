import { type Static, Type } from 'typebox'
import { findNearest } from '../../model/texts/nearest.ts'
import { type CommandResult, UsageError } from '../command/command.ts'
import { type Api, ApiFailure } from './api.ts'
import { SimulatorShape } from './shapes.ts'
import { table } from './table.ts'

type Simulator = Static<typeof SimulatorShape>

export interface SimulatorRequest {
  key: string
  method: 'POST' | 'DELETE'
  path: 'faults' | 'clock'
  body?: { name: string; times: number } | { seconds: number }
}

export async function listSimulators(api: Api): Promise<CommandResult> {
  const all = await readAll(api)
  return {
    document: all,
    text: table(all.map((one) => [one.key, stateOf(one), one.faults.join(' ')])) || 'this instance has no simulators',
  }
}

export async function changeSimulator(api: Api, { key, method, path, body }: SimulatorRequest): Promise<CommandResult> {
  const all = await readAll(api)
  const simulator = all.find((one) => one.key === key)
  if (!simulator)
    throw new UsageError(
      unknown(
        'simulator',
        key,
        all.map((one) => one.key),
      ),
    )
  if (body && 'name' in body && !simulator.faults.includes(body.name)) throw new UsageError(unknown('fault', body.name, simulator.faults))
  const changed = await api.read(SimulatorShape, `/sandbox/simulators/${encodeURIComponent(key)}/${path}`, {
    method,
    ...(body && { body }),
  })
  return { document: changed, text: `${changed.key}  ${stateOf(changed)}` }
}

async function readAll(api: Api): Promise<Simulator[]> {
  return await api.read(Type.Array(SimulatorShape), '/sandbox/simulators').catch((error: unknown) => {
    if (error instanceof ApiFailure && error.status === 404)
      throw new Error('this deployment is no sandbox: it has no simulators', { cause: error })
    throw error
  })
}

function stateOf({ armed, clockMovedSeconds }: Simulator): string {
  const faults = armed.map(({ name, times }) => `${name} × ${times}`)
  const clock = clockMovedSeconds === 0 ? [] : [`clock ${clockMovedSeconds} s ahead`]
  return [...faults, ...clock].join(', ') || 'as usual'
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = findNearest(name, known)
  return `there is no ${what} ${JSON.stringify(name)}; ${near === null ? `there are: ${known.join(', ')}` : `did you mean ${near}?`}`
}
