import { Type } from 'typebox'
import type { CommandResult } from '../command/command.ts'
import type { Api } from './api.ts'
import { describeConnections, pathOf } from './connections.ts'
import type { Connection } from './find.ts'
import { table } from './table.ts'

const DetailShape = Type.Object({
  timeline: Type.Array(Type.Object({ at: Type.String(), statusName: Type.String(), detail: Type.String() })),
  runs: Type.Array(Type.Object({ startedOn: Type.String(), state: Type.String(), records: Type.Integer(), changed: Type.Integer() })),
})

/** A connection with its timeline and last runs. */
export async function show(api: Api, connection: Connection): Promise<CommandResult> {
  const detail = await api.read(DetailShape, `${pathOf(connection)}/status`)
  const timeline = table(detail.timeline.map(({ at, statusName, detail: text }) => [at.slice(0, 19), statusName, text]))
  const runs = table(
    detail.runs.map(({ startedOn, state, records, changed }) => [startedOn.slice(0, 19), state, `${records} records, ${changed} changed`]),
  )
  return { document: detail, text: [describeConnections([connection]), 'Timeline:', timeline, 'Runs:', runs].join('\n') }
}
