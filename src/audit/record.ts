import { type AuditEntry, recordAudit, recordAudits, toAuditKey } from '../store/access/audit.ts'
import type { Db } from '../store/db/database.ts'
import type { Keys } from '../store/keys/keys.ts'
import { type ActionName, AUDIT_ACTIONS } from './actions.ts'
import { type AuditWriter, currentActorScope } from './actor.ts'

/** Values by field, as the domain has them. */
type Fields = object

export interface Change {
  /** Null for a change of the whole deployment. */
  instanceId: string | null
  action: ActionName
  /** What was changed, such as `company/<id>`; null for the instance as a whole. */
  subject: string | null
  /** User who acts, where the request does not say so itself: at a login. */
  userId?: string | null
  /** The state before and after; of what differs, an entry keeps the fields that the action's catalogue entry shows. */
  before?: Fields | null
  after?: Fields | null
  /** Circumstances: ids, codes and counts. */
  details?: Record<string, string | number | boolean>
}

const MAX_TEXT = 300

/** Writer of audit entries with the newest of these keys. */
export function auditWriter({ keys, now }: { keys: Pick<Keys, 'tokenHash'>; now(): Date }): AuditWriter {
  return { key: () => toAuditKey(keys.tokenHash.newest), now }
}

/**
 * Records a change on behalf of the enclosing actor scope, in the transaction of the change. Record last: the chain
 * stays locked until commit. Without a scope there is no entry; every entry point of the product enters one.
 */
export async function recordChange(db: Db, change: Change): Promise<void> {
  const scope = currentActorScope()
  if (scope) await recordBy(scope.writer, db, change)
}

/** The same by a writer of the caller's; an enclosing actor scope still says who acts. */
export async function recordBy(writer: AuditWriter, db: Db, change: Change): Promise<void> {
  checkAction(change)
  await recordAudit(db, writer.key(), toEntry(change), writer.now())
}

/** The same for several changes of one instance. */
export async function recordAllBy(writer: AuditWriter, db: Db, changes: readonly Change[]): Promise<void> {
  for (const change of changes) checkAction(change)
  await recordAudits(db, writer.key(), changes.map(toEntry), writer.now())
}

function checkAction({ action }: Change): void {
  const allowed = currentActorScope()?.actions
  if (allowed && !allowed.has(action)) throw new Error(`the route does not declare the audit action ${action}`)
}

function toEntry({ instanceId, action, subject, userId, before, after, details }: Change): AuditEntry {
  const actor = currentActorScope()?.actor
  const user = userId === undefined ? (actor?.kind === 'user' ? actor.id : null) : userId
  const kind = user !== null && actor?.kind === 'visitor' ? 'user' : actor?.kind
  return {
    instanceId,
    action,
    userId: user,
    subject,
    ...(kind === undefined ? {} : { actor: kind }),
    ...(actor && actor.kind !== 'user' && actor.id !== null ? { actorId: actor.id } : {}),
    ...(actor?.network ? { network: actor.network } : {}),
    ...(actor?.requestId ? { requestId: actor.requestId } : {}),
    ...toDifference(action, before ?? null, after ?? null),
    ...(details ? { details } : {}),
  }
}

/** Fields that differ: with their values where the action shows them, by name alone where it withholds them. */
export function toDifference(
  action: ActionName,
  before: Fields | null,
  after: Fields | null,
): Pick<AuditEntry, 'before' | 'after' | 'withheld'> {
  const { shows, withholds } = AUDIT_ACTIONS[action]
  const differs = (name: string) => !isEqual(fieldOf(before, name), fieldOf(after, name))
  const shown = (shows ?? []).filter(differs)
  const withheld = (withholds ?? []).filter(differs)
  const pick = (of: Fields) => Object.fromEntries(shown.map((name) => [name, toShown(fieldOf(of, name))]))
  return {
    ...(before && shown.length > 0 ? { before: pick(before) } : {}),
    ...(after && shown.length > 0 ? { after: pick(after) } : {}),
    ...(withheld.length > 0 ? { withheld } : {}),
  }
}

/** Absent, null and empty are one; an empty list is a value. */
function fieldOf(of: Fields | null, name: string): unknown {
  const value: unknown = of === null ? null : Object.getOwnPropertyDescriptor(of, name)?.value
  return value === undefined || value === '' || isWithoutNames(value) ? null : value
}

/** Metadata, or parameters, of which there are none. */
function isWithoutNames(value: unknown): boolean {
  return JSON.stringify(value) === '{}'
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function toShown(value: unknown): string | number | boolean | null {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (value instanceof Date) return value.toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`
}
