import type { Readable } from 'node:stream'
import type { Change } from '../../audit/record.ts'
import { endProviderRequirement } from '../../store/access/identity-providers.ts'
import {
  createInstance,
  findInstanceState,
  type InstanceKind,
  type InstanceState,
  lockInstance,
  renameInstance,
} from '../../store/access/instances.ts'
import { findLoginUser, type User } from '../../store/access/users.ts'
import { type Database, type Db, inTransaction } from '../../store/db/database.ts'
import { announceJobs } from '../../store/jobs/jobs.ts'
import { findErasure, type InstanceErasure, isBeingErased } from '../../store/operators/erasures.ts'
import { type QuotaName, readBounds, setQuotas } from '../../store/operators/quotas.ts'
import { deleteSuspension, insertSuspension } from '../../store/operators/suspensions.ts'
import { requestErasure } from '../../sync/instances/erase.ts'
import { type ExportContext, exportInstance, TooManyExports } from '../../sync/instances/export.ts'
import { type Access, audit, newSecret } from '../access/access.ts'
import { type AdminLink, createAdminLink } from '../access/account/admin-link.ts'
import { prepareUser, storeUser } from '../access/account/user-accounts.ts'
import type { PasswordHashing } from '../access/passwords/password-hashing.ts'
import { badField, conflict, orNotFound, tooManyRequests } from '../errors/errors.ts'

/** Time in which the first administrator of an instance sets a password. */
const ADMIN_LINK_HOURS = 72
const EXPORT_RETRY_SECONDS = 30

/** Dependencies shared by the API and the command. */
export interface InstanceContext extends Pick<Access, 'keys' | 'hashes' | 'now'> {
  database: Database
  hashing: PasswordHashing
  publicUrl: string
}

export interface NewInstance {
  name: string
  kind: InstanceKind
  admin: { email: string; name: string }
}

/**
 * Creates an instance with its first administrator, who sets a password with the link. One with the id, whose answer was
 * lost, is given with another link. Throws a 409 for an address that is taken, in any instance.
 */
export async function addInstance(
  context: InstanceContext,
  { id, name, kind, admin }: NewInstance & { id: string },
): Promise<{ instance: InstanceState; link: AdminLink }> {
  // A random password that nobody knows.
  const prepared = await prepareUser(context.hashing, { ...admin, role: 'admin', password: newSecret() })
  return await inTransaction(context.database, async (db) => {
    const issue = async (user: Pick<User, 'instanceId' | 'id' | 'email'>) =>
      await createAdminLink(context, db, user, { publicUrl: context.publicUrl, lifeHours: ADMIN_LINK_HOURS })
    const known = await findInstanceState(db, id)
    if (known) {
      const first = await findLoginUser(db, prepared.email)
      if (first?.instanceId !== id) throw conflict('The instance was made, and its first administrator has another address since.')
      return { instance: known, link: await issue(first) }
    }
    await createInstance(db, { id, name: name.trim(), kind })
    const user = await storeUser(db, id, prepared, context.now())
    const link = await issue(user)
    const instance = await getInstance(db, id)
    await auditInstance(context, db, { instanceId: id, action: 'instance.created', after: instance })
    return { instance, link }
  })
}

/** Throws a 404 for an unknown instance. */
export async function rename(context: InstanceContext, id: string, name: string): Promise<InstanceState> {
  return await inTransaction(context.database, async (db) => {
    const before = await lockedInstance(db, id)
    await renameInstance(db, id, name.trim())
    const after = await getInstance(db, id)
    await auditInstance(context, db, { instanceId: id, action: 'instance.renamed', before, after })
    return after
  })
}

/**
 * Suspends an instance: its users, owners, syncs and messages wait until it is resumed, and nothing is lost. Throws a
 * 409 when it is suspended already.
 */
export async function suspend(context: InstanceContext, id: string, reason: string): Promise<InstanceState> {
  return await inTransaction(context.database, async (db) => {
    await lockedInstance(db, id)
    if (!(await insertSuspension(db, id, reason.trim()))) throw conflict('The instance is suspended already.')
    await auditInstance(context, db, { instanceId: id, action: 'instance.suspended', after: { reason: reason.trim() } })
    return await getInstance(db, id)
  })
}

/**
 * Starts to erase an instance. `name` must be the instance's, typed again: otherwise a 400. Throws a 409 if the
 * erasure has already started.
 */
export async function erase(context: InstanceContext, id: string, name: string): Promise<InstanceErasure> {
  return await inTransaction(context.database, async (db) => {
    const instance = await lockedInstance(db, id)
    if (name !== instance.name) throw badField('name', 'is not the name of the instance')
    const begun = await requestErasure(db, instance)
    const erasure = begun && (await findErasure(db, begun.id))
    if (!erasure) throw conflict('The instance is being erased.')
    await auditInstance(context, db, { instanceId: id, action: 'instance.erasure-requested' })
    return erasure
  })
}

/** Data of an instance as a stream. Throws a 429 while others are exported. */
export async function exportData(
  context: InstanceContext & ExportContext,
  id: string,
): Promise<{ instance: InstanceState; archive: Readable }> {
  const instance = await getInstance(context.database, id)
  const { name, kind } = instance
  const archive = await exportInstance(context, { id, name, kind }).catch((error: unknown) => {
    throw error instanceof TooManyExports ? tooManyRequests(EXPORT_RETRY_SECONDS, 'Other instances are being exported.') : error
  })
  try {
    await inTransaction(context.database, (db) => auditInstance(context, db, { instanceId: id, action: 'instance.exported' }))
  } catch (error) {
    archive.destroy()
    throw error
  }
  return { instance, archive }
}

/** Sets bounds of an instance; null takes the deployment's default again. What is there already stays. */
export async function changeQuotas(context: InstanceContext, id: string, bounds: Partial<Record<QuotaName, number | null>>): Promise<void> {
  await inTransaction(context.database, async (db) => {
    await lockedInstance(db, id)
    const before = await readBounds(db, id)
    await setQuotas(db, id, bounds)
    await auditInstance(context, db, { instanceId: id, action: 'instance.quotas-changed', before, after: await readBounds(db, id) })
  })
}

/** Lets the passwords of an instance's members work again. Throws a 409 where its identity provider is not required. */
export async function allowPasswords(context: InstanceContext, id: string): Promise<InstanceState> {
  return await inTransaction(context.database, async (db) => {
    const instance = await getInstance(db, id)
    if (!(await endProviderRequirement(db, id, context.now()))) throw conflict('Passwords work in this instance.')
    await auditInstance(context, db, { instanceId: id, action: 'instance.passwords-allowed' })
    return instance
  })
}

/** Ends a suspension. Throws a 409 if there is none, and while the instance is being erased. */
export async function resume(context: InstanceContext, id: string): Promise<InstanceState> {
  return await inTransaction(context.database, async (db) => {
    const { suspension } = await lockedInstance(db, id)
    if (await isBeingErased(db, id)) throw conflict('The instance is being erased.')
    if (!(await deleteSuspension(db, id))) throw conflict('The instance is not suspended.')
    await announceJobs(db)
    await auditInstance(context, db, { instanceId: id, action: 'instance.resumed', before: suspension })
    return await getInstance(db, id)
  })
}

export async function getInstance(db: Db, id: string): Promise<InstanceState> {
  return orNotFound(await findInstanceState(db, id), 'instance')
}

/** The instance, whose state nobody else changes until the transaction ends. */
async function lockedInstance(db: Db, id: string): Promise<InstanceState> {
  await lockInstance(db, id)
  return await getInstance(db, id)
}

/** Entries in the deployment’s chain, and in the instance’s own, for its administrators. */
async function auditInstance(
  context: Pick<InstanceContext, 'keys' | 'now'>,
  db: Db,
  change: Pick<Change, 'action' | 'before' | 'after' | 'details'> & { instanceId: string },
): Promise<void> {
  const entry = { ...change, subject: `instance/${change.instanceId}` }
  await audit(context, db, entry)
  await audit(context, db, { ...entry, instanceId: null })
}
