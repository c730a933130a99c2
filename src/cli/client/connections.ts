import { Type } from 'typebox'
import { isFault, restingStatus, STATUS_CODES, Status } from '../../model/statuses.ts'
import { english } from '../../model/texts/plural.ts'
import type { CommandContext, CommandResult } from '../command/command.ts'
import type { Api } from './api.ts'
import { type Connection, listCurrentConnections } from './find.ts'
import { type Polling, pollUntil } from './polling.ts'
import { printable, table } from './table.ts'

const AskedRead = Type.Object({ runId: Type.String() })
const RunShape = Type.Object({
  id: Type.String(),
  state: Type.String(),
  error: Type.Union([Type.String(), Type.Null()]),
  counts: Type.Object({ records: Type.Integer(), changed: Type.Integer(), deleted: Type.Integer() }),
})

/** Most connections whose services a line about a wait names. */
const MOST_NAMED = 5

export type Progress = Polling & Pick<CommandContext, 'progress'>

export function describeConnections(connections: readonly Connection[]): string {
  return table(connections.map((one) => [one.companyId, one.serviceId, one.statusName, ...describe(one)])) || 'there is no connection yet'
}

function describe({ serviceName, fault }: Connection): string[] {
  return [printable(fault === null ? serviceName : `${serviceName}: ${fault}`)]
}

export function pathOf({ companyId, serviceId }: Pick<Connection, 'companyId' | 'serviceId'>): string {
  return `/normalized-data/company/${companyId}/data-connection/${serviceId}`
}

/** Whether the connection has reached a final state: data can be read, or it has a fault, is suspended or has ended. */
function isAtRest({ category, statusCode }: Connection): boolean {
  const code = STATUS_CODES.find((one) => one === statusCode)
  const isOver = code === Status.Disconnected || code === Status.Suspended
  return code !== undefined && (code === restingStatus(category) || isOver || isFault(code))
}

const isReady = ({ category, statusCode }: Connection): boolean => statusCode === restingStatus(category)

interface Watched {
  /** Clauses of a `FilterQuery`, of which a connection matches one; all connections where there is none. */
  clauses: readonly string[]
  isWanted(one: Connection): boolean
}

/** Waits until there is a connection that `isWanted` and all of them have reached a final state. */
export async function watch(api: Api, companyId: string, progress: Progress, { clauses, isWanted }: Watched): Promise<CommandResult> {
  const seen = new Map<string, number>()
  const done = await pollUntil(progress, async () => {
    const wanted = (await listCurrentConnections(api, companyId, clauses)).filter(isWanted)
    const changed = wanted.filter(({ sessionId, statusCode }) => seen.get(sessionId) !== statusCode)
    for (const line of describeStatuses(changed)) progress.say(line)
    for (const { sessionId, statusCode } of changed) seen.set(sessionId, statusCode)
    progress.progress(wanted.length === 0 ? 'waiting for the owner' : describeStatuses(wanted).join(', '))
    return wanted.length > 0 && wanted.every(isAtRest) ? wanted : null
  })
  return { document: done, text: describeConnections(done), isFailure: !done.every(isReady) }
}

/** The status of each connection by the name of its service; of many, how many have each status. */
function describeStatuses(connections: readonly Connection[]): string[] {
  if (connections.length <= MOST_NAMED) return connections.map(({ serviceName, statusName }) => printable(`${serviceName}: ${statusName}`))
  const byStatus = Map.groupBy(connections, ({ statusName }) => statusName)
  return [...byStatus].map(([statusName, { length }]) =>
    printable(`${length} ${english.form(length, 'connection', 'connections')}: ${statusName}`),
  )
}

/** Requests a refresh; `progress` waits for its end. */
export async function refresh(api: Api, connection: Connection, progress: Progress | null): Promise<CommandResult> {
  const runId = await requestRead(api, connection)
  if (progress === null) return { document: { runId }, text: `asked for: run ${runId}` }
  const { run, text, isFailure } = await waitForRead(api, connection, runId, progress)
  return { document: run, text, isFailure }
}

/** Id of the run that reads a connection now. */
export async function requestRead(api: Api, connection: Connection): Promise<string> {
  return (await api.read(AskedRead, `${pathOf(connection)}/refresh`, { method: 'POST' })).runId
}

export async function waitForRead(api: Api, connection: Connection, runId: string, progress: Progress) {
  const run = await pollUntil(progress, async () => {
    const now = await api.read(RunShape, `${pathOf(connection)}/runs/${runId}`)
    progress.progress(`${connection.serviceName}: ${now.state}, ${now.counts.records} records, ${now.counts.changed} changed`)
    return now.state === 'waiting' || now.state === 'running' ? null : now
  })
  const { records, changed, deleted } = run.counts
  const error = run.error === null ? '' : `: ${printable(run.error)}`
  const isFailure = run.state !== 'published' && run.state !== 'unchanged'
  return { run, text: `${run.state}${error}  ${records} records, ${changed} changed, ${deleted} deleted`, isFailure }
}
