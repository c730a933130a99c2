import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { isUuid } from '../../model/values/uuid.ts'
import type { Preamble } from './pipelined-query.ts'

/** Reader of replicas: who may answer the statements of a read in the place of the primary (`replicas/`). */
export interface ReplicaReader {
  /** Pool whose statements it takes; others are left alone. */
  readonly primary: pg.Pool
  /**
   * Result of `ask`, which sends its statement to the given pool behind the guard; null: the primary has to be asked. A
   * guard that fails keeps the statement from running.
   */
  attempt<T>(ask: (replica: pg.Pool, guard: Preamble) => Promise<T>): Promise<{ value: T } | null>
}

/** Instance scope of the work under way: the instance whose rows the database shows; null: all instances. */
interface Scope {
  instanceId: string | null
  reader?: ReplicaReader
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

/**
 * Runs work whose statements a replica may answer, in the scope that it is called in. NOTE a scope that is entered within
 * reads from the primary: what serves many waiters must not depend on the first.
 */
export function withReader<T>(reader: ReplicaReader, work: () => T): T {
  return scopes.run({ instanceId: currentInstance(), reader }, work)
}

/** Null where statements go to the primary. */
export function currentReader(): ReplicaReader | null {
  return scopes.getStore()?.reader ?? null
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
