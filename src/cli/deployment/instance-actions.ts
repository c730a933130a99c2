import { randomUUID } from 'node:crypto'
import { ApiError } from '../../api/errors/errors.ts'
import {
  addInstance,
  allowPasswords as allowPasswordsOf,
  type NewInstance,
  rename as renameInstance,
  resume as resumeInstance,
  suspend as suspendInstance,
} from '../../api/operator/instances.ts'
import { isUuid } from '../../model/values/uuid.ts'
import { findInstanceState, type InstanceState, listInstances, listInstancesByName } from '../../store/access/instances.ts'
import type { Db } from '../../store/db/database.ts'
import { printable } from '../client/table.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command/command.ts'
import { getOnlyOne } from '../command/only-one.ts'
import { type OperatorContext, withOperator } from './open-operator.ts'

const PAGE = 500

export async function list(context: CommandContext): Promise<CommandResult> {
  return await withOperator(context, 'instance', async ({ database }) => {
    const instances = await listAll(database)
    const document = instances.map(toDocument)
    return { document, text: instances.length === 0 ? 'there is no instance yet' : instances.map(toLine).join('\n') }
  })
}

export async function create(context: CommandContext, wanted: NewInstance): Promise<CommandResult> {
  return await withOperator(context, 'instance', async (operator) => {
    const { instance, link } = await refusedAsUsage(() => addInstance(operator, { ...wanted, id: randomUUID() }))
    return {
      document: { instance: toDocument(instance), link: { ...link, expiresAt: undefined, expiresOn: link.expiresAt.toISOString() } },
      text: [
        toLine(instance),
        '',
        `${link.email} sets a password here, once, until ${link.expiresAt.toISOString()}:`,
        '',
        link.address,
      ].join('\n'),
    }
  })
}

export async function rename(context: CommandContext, target: string, name: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id }) => toResult(await renameInstance(operator, id, name)))
}

export async function suspend(context: CommandContext, target: string, reason: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id }) => toResult(await suspendInstance(operator, id, reason)))
}

export async function resume(context: CommandContext, target: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id }) => toResult(await resumeInstance(operator, id)))
}

export async function allowPasswords(context: CommandContext, target: string): Promise<CommandResult> {
  return await withTarget(context, target, async (operator, { id }) => toResult(await allowPasswordsOf(operator, id)))
}

/** Runs `work` on the instance with this id or name. */
export async function withTarget(
  context: CommandContext,
  target: string,
  work: (operator: OperatorContext, instance: InstanceState) => Promise<CommandResult>,
): Promise<CommandResult> {
  return await withOperator(context, 'instance', async (operator) => {
    const instance = await findTarget(operator.database, target)
    return await refusedAsUsage(() => work(operator, instance))
  })
}

async function findTarget(db: Db, target: string): Promise<InstanceState> {
  const named = isUuid(target) ? await findInstanceState(db, target) : null
  const found = named ? [named] : await listInstancesByName(db, target)
  const describe = ({ id, name }: InstanceState) => printable(`${id} ${name}`)
  return getOnlyOne(found, { text: target, what: 'instance', list: 'countinghouse instance list', describe })
}

/** Reports what the API would refuse with 400 or 409 as a usage error. */
async function refusedAsUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError && error.status < 500 ? new UsageError(error.message) : error
  }
}

async function listAll(db: Db): Promise<InstanceState[]> {
  const all: InstanceState[] = []
  for (;;) {
    const page = { filter: [], orderBy: 'createdOn', descending: false, limit: PAGE, offset: all.length }
    const { instances } = await listInstances(db, page)
    all.push(...instances)
    if (instances.length < PAGE) return all
  }
}

function toResult(instance: InstanceState): CommandResult {
  return { document: toDocument(instance), text: toLine(instance) }
}

function toDocument({ id, name, kind, createdOn, suspension }: InstanceState) {
  const suspended = suspension && { since: suspension.since.toISOString(), reason: suspension.reason }
  return { id, name, kind, createdOn: createdOn.toISOString(), suspension: suspended }
}

function toLine({ id, name, kind, createdOn, suspension }: InstanceState): string {
  const state = suspension ? `suspended ${suspension.since.toISOString().slice(0, 10)}` : 'active'
  return `${id}  ${kind}  ${createdOn.toISOString().slice(0, 10)}  ${state}  ${name}`
}
