import { AsyncLocalStorage } from 'node:async_hooks'
import { isUuid } from '../../model/values/uuid.ts'

/** Whose rows the database shows to work under way; null: everybody's. */
interface Scope {
  instanceId: string | null
}

const scopes = new AsyncLocalStorage<Scope>()

/**
 * Runs work for one instance: whatever its queries say, the database shows and takes only rows of this one (docs/decisions/0017). NOTE what
 * many wait for together (a shared question, a batch) must not run in the scope of the one who happened to come first: `acrossInstances`.
 */
export function withinInstance<T>(instanceId: string, work: () => T): T {
  return scopes.run({ instanceId: checked(instanceId) }, work)
}

/** Runs work that belongs to no instance, or to none yet, such as looking up a token. */
export function acrossInstances<T>(work: () => T): T {
  return scopes.run({ instanceId: null }, work)
}

/** From here on the work around (`withinInstance`, `acrossInstances`) is for this instance: who it is for was found on the way. */
export function enterInstance(instanceId: string): void {
  const scope = scopes.getStore()
  if (!scope) throw new Error('there is no work around that could be for an instance')
  scope.instanceId = checked(instanceId)
}

/** Null: work across instances. */
export function currentInstance(): string | null {
  return scopes.getStore()?.instanceId ?? null
}

/** It goes into statements, and `*` would be everybody. */
function checked(instanceId: string): string {
  if (!isUuid(instanceId)) throw new RangeError('an instance has a UUID')
  return instanceId
}
