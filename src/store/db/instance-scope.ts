import { AsyncLocalStorage } from 'node:async_hooks'
import { isUuid } from '../../model/values/uuid.ts'

/** Instance scope of the work under way: the instance whose rows the database shows; null: all instances. */
interface Scope {
  instanceId: string | null
}

const scopes = new AsyncLocalStorage<Scope>()

/**
 * Runs `work` in the scope of one instance: the database returns and accepts only its rows, whatever the queries say
 * (docs/decisions/0017). NOTE work shared by many waiters (a shared query, a batch) must not run in the scope of its
 * first waiter: use `acrossInstances`.
 */
export function withinInstance<T>(instanceId: string, work: () => T): T {
  return scopes.run({ instanceId: checked(instanceId) }, work)
}

/** Runs work that belongs to no instance, or to none yet, such as a token lookup. */
export function acrossInstances<T>(work: () => T): T {
  return scopes.run({ instanceId: null }, work)
}

/** Switches the enclosing scope (`withinInstance`, `acrossInstances`) to this instance, once it is known. */
export function enterInstance(instanceId: string): void {
  const scope = scopes.getStore()
  if (!scope) throw new Error('there is no work around that could be for an instance')
  scope.instanceId = checked(instanceId)
}

/** Null for all instances. */
export function currentInstance(): string | null {
  return scopes.getStore()?.instanceId ?? null
}

/** The id becomes part of a statement, where `*` would mean all instances. */
function checked(instanceId: string): string {
  if (!isUuid(instanceId)) throw new RangeError('an instance has a UUID')
  return instanceId
}
