import { isReadable, STATUS_CODES } from '../../model/statuses.ts'
import type { CommandResult } from '../command/command.ts'
import type { Api } from './api.ts'
import { type Progress, requestRead, waitForRead } from './connections.ts'
import { type Connection, listCurrentConnections } from './find.ts'
import { printable, table } from './table.ts'

/** Refreshes the connections of a company, or the one to a service, and waits for all of them. */
export async function syncCompany(api: Api, companyId: string, serviceId: string | null, progress: Progress): Promise<CommandResult> {
  const asked: { connection: Connection; runId: string }[] = []
  const clauses = serviceId === null ? [] : [`serviceId=${serviceId}`]
  for (const connection of await listCurrentConnections(api, companyId, clauses)) {
    const code = STATUS_CODES.find((one) => one === connection.statusCode)
    if (code !== undefined && isReadable(code)) asked.push({ connection, runId: await requestRead(api, connection) })
    else progress.say(printable(`${connection.serviceName} is left out: ${connection.statusName}`))
  }
  const runs: { serviceId: string; serviceName: string; run: Awaited<ReturnType<typeof waitForRead>> }[] = []
  for (const { connection, runId } of asked) {
    const run = await waitForRead(api, connection, runId, progress)
    runs.push({ serviceId: connection.serviceId, serviceName: connection.serviceName, run })
  }
  return {
    document: runs.map(({ run, ...service }) => ({ ...service, ...run.run })),
    text: table(runs.map(({ serviceName, run }) => [serviceName, run.text])) || 'there is no connection that can be read',
    isFailure: runs.length === 0 || runs.some(({ run }) => run.isFailure),
  }
}
