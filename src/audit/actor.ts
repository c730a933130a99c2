import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActionName } from './actions.ts'

/**
 * Who acts: a user, an API key, an owner or their helper, the operator, a command line, the service itself (`job`), or
 * somebody who has not signed in (`visitor`).
 */
export const ACTOR_KINDS = ['user', 'key', 'owner', 'helper', 'operator', 'command', 'job', 'visitor'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

export interface Actor {
  kind: ActorKind
  /** User, key, company (of an owner or helper) or operator; the name of a command or of a job. */
  id: string | null
  /** From `toNetwork`; null if there is no request. */
  network: string | null
  requestId: string | null
}

/** Keys and clock with which entries are written. */
export interface AuditWriter {
  /** Newest key of the audit chains. */
  key(): Uint8Array
  now(): Date
}

export interface ActorScope {
  writer: AuditWriter
  actor: Actor
  /** Actions that the route declares; null for any. */
  actions: ReadonlySet<ActionName> | null
}

const scopes = new AsyncLocalStorage<ActorScope>()

/**
 * Runs `work` on behalf of an actor: its changes make entries under that name. Entered once at each entry point, like the
 * instance scope (docs/decisions/0047).
 */
export function withinActor<T>(scope: ActorScope, work: () => T): T {
  return scopes.run({ ...scope, actor: { ...scope.actor } }, work)
}

/** Scope of work that no request asks for: a command, or the service itself. */
export function ownScope(writer: AuditWriter, kind: 'command' | 'job', id: string | null = null): ActorScope {
  return { writer, actor: { kind, id, network: null, requestId: null }, actions: null }
}

/** Names the visitor of the enclosing scope, once it is known who that is. No effect on anybody else, or outside one. */
export function identifyVisitor(kind: 'owner' | 'helper', companyId: string): void {
  const scope = scopes.getStore()
  if (scope?.actor.kind === 'visitor') Object.assign(scope.actor, { kind, id: companyId })
}

/** Null if nobody has entered, as in a test of one function. */
export function currentActorScope(): ActorScope | null {
  return scopes.getStore() ?? null
}
