import { open, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { erase as eraseInstance, exportData } from '../../api/operator/instances.ts'
import { simulatorReader } from '../../process/sandbox/start-sandbox.ts'
import { createSealer } from '../../store/keys/sealing.ts'
import { type InstanceErasure, listErasures } from '../../store/operators/erasures.ts'
import type { CommandContext, CommandResult } from '../command/command.ts'
import { withTarget } from './instance-actions.ts'
import { withOperator } from './open-operator.ts'
import { readSettings } from './settings.ts'

const PAGE = 500

/** Writes all data of an instance into a new file that only its owner reads; an incomplete file is removed. */
export async function exportTo(context: CommandContext, target: string, to: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id, name }) => {
    const handle = await open(to, 'wx', 0o600)
    const file = handle.createWriteStream()
    try {
      const { archive } = await exportData(
        { ...operator, sealer: createSealer(operator.keys), readSimulators: await simulatorReader(readSettings(context)) },
        id,
      )
      await pipeline(archive, file)
    } catch (error) {
      file.destroy()
      await rm(to, { force: true })
      throw error
    }
    return { document: { id, name, file: to, bytes: file.bytesWritten }, text: `${to}: ${file.bytesWritten} bytes of ${name}` }
  })
}

export async function erase(context: CommandContext, target: string, name: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id }) => {
    const erasure = await eraseInstance(operator, id, name)
    return { document: toDocument(erasure), text: `${name} is suspended; the service erases it: countinghouse instance erasures` }
  })
}

export async function listAll(context: CommandContext): Promise<CommandResult> {
  return await withOperator(context, 'instance', async ({ database }) => {
    const all: InstanceErasure[] = []
    for (;;) {
      const { erasures, total } = await listErasures(database, PAGE, all.length)
      all.push(...erasures)
      if (erasures.length === 0 || all.length >= total) break
    }
    return { document: all.map(toDocument), text: all.length === 0 ? 'no instance was erased' : all.map(toLine).join('\n') }
  })
}

function toDocument({
  id,
  instanceId,
  name,
  requestedAt,
  completedAt,
  deleted,
  revocations,
  unrevoked,
  unreached,
  receipt,
}: InstanceErasure) {
  const times = { requestedOn: requestedAt.toISOString(), completedOn: completedAt?.toISOString() ?? null }
  return { id, instanceId, name, ...times, deleted, revocations, unrevoked, unreached, receipt }
}

function toLine({ instanceId, name, requestedAt, completedAt, receipt }: InstanceErasure): string {
  const state = completedAt ? `erased ${completedAt.toISOString()}\n${receipt}` : `requested ${requestedAt.toISOString()}, under way`
  return `${instanceId}  ${name}  ${state}`
}
