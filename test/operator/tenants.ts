import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { SCOPES } from '../../src/api/access/keys/scopes.ts'
import type { Database } from '../../src/store/db/database.ts'
import { PASSWORD, tokenOf } from '../harness/app/users.ts'
import { fillTables } from './every-table.ts'
import type { OperatorHarness } from './harness.ts'

export const ROLES = ['admin', 'developer', 'integration', 'viewer'] as const
/** Settings of a deployment that refuses no request because of others before it. */
export const UNLIMITED = {
  login: { perAccount: 100_000, perNetwork: 100_000, perMinute: 100_000, windowSeconds: 900, codeDriftSteps: 1 },
  requestLimits: { perSession: 0, perInstance: 0, perNetwork: 0 },
}

/** Ids in paths of the API for developers, and in requests at other entry points, by the table that has them. */
const TABLES: Record<string, string> = {
  companyId: 'companies',
  serviceId: 'child_services',
  subscriptionId: 'subscriptions',
  eventNameOrSubscriptionId: 'subscriptions',
  deliveryId: 'deliveries',
  eventId: 'events',
  userId: 'users',
  jobId: 'jobs',
  accountId: 'record_versions',
  transactionId: 'record_versions',
  replayId: 'replays',
  exportId: 'exports',
  destinationId: 'export_destinations',
  runId: 'sync_runs',
  receiverId: 'receivers',
  feedId: 'file_feeds',
  requestId: 'institution_requests',
  keyId: 'api_keys',
  sessionId: 'sessions',
  passkeyId: 'passkeys',
  groupId: 'scim_groups',
  connectionId: 'connections',
  receiptId: 'receipts',
}
/** Parts of paths that are the same for all instances: keys of sources, and keys of metadata. */
const SHARED = ['sourceKey', 'key']

export interface Tenant {
  id: string
  /** Tokens and keys, by role or scope. */
  callers: Map<string, string>
  ids: Record<string, string>
}

export const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** Throws for a part of a path that is neither an id nor shared, so that none is left out. */
export function requireKnownNames(paths: readonly string[]): void {
  const unknown = paths.flatMap(namesIn).filter((name) => !(name in TABLES) && !SHARED.includes(name))
  if (unknown.length > 0) throw new Error(`say here which table has ${unknown.join(', ')}`)
}

/** An instance made by the operator, whose administrator sets a password; a row in every table, and every kind of caller. */
export async function makeTenant(api: OperatorHarness, operator: string, name: string, isFilled = true): Promise<Tenant> {
  const { database } = api.deps
  const email = `${randomUUID()}@example.com`
  const made = await api.ask<{ instance: { id: string }; link: { address: string } }>('POST', '/instances', operator, {
    name,
    kind: 'live',
    admin: { email, name: 'Avery Tremblay' },
  })
  const { instance, link } = made.body
  const payload = { token: new URL(link.address).hash.slice(1), password: PASSWORD }
  expect((await api.app.inject({ method: 'POST', url: '/admin/api/v1/auth/new-password', payload })).statusCode).toBe(204)
  const callers = new Map([['admin', await tokenOf(api.app, email)]])
  for (const role of ROLES.slice(1)) {
    const user = await api.addUser({ role, instanceId: instance.id })
    callers.set(role, await tokenOf(api.app, user.email))
  }
  const headers = { authorization: `Bearer ${callers.get('admin')}` }
  for (const scopes of [...SCOPES.map((scope) => [scope]), [...SCOPES]]) {
    const asked = { name: 'Program', scopes }
    const created = await api.app.inject({ method: 'POST', url: '/admin/api/v1/api-keys', headers, payload: asked })
    const { key } = created.json<{ key?: string }>()
    if (key !== undefined) callers.set(scopes.join(' '), key)
  }
  expect(callers.size).toBeGreaterThan(ROLES.length + 5)
  const mcp = { method: 'PUT', url: '/admin/api/v1/instance/mcp-access', headers, payload: { isEnabled: true } } as const
  expect((await api.app.inject(mcp)).statusCode).toBe(200)
  if (isFilled) await fillTables(database, instance.id)
  // Its users and keys go on.
  for (const table of ['instance_suspensions', 'identity_providers', 'instance_quotas'])
    await database.query(`delete from ${table} where instance_id = $1`, [instance.id])
  // Its administrator's, so that somebody can read it.
  await database.query('update passkeys set user_id = (select id from users where email = $2) where instance_id = $1', [instance.id, email])
  api.moveClock(2_000)
  const ids: Record<string, string> = {}
  for (const [parameter, table] of Object.entries(TABLES)) {
    const { rows } = await database.query<{ id: string }>(`select id from ${table} where instance_id = $1 limit 1`, [instance.id])
    ids[parameter] = rows[0]?.id ?? ''
  }
  return { id: instance.id, callers, ids: { ...ids, instanceId: instance.id } }
}

/** What each table holds of an instance, as one checksum a table; its own requests from before are counted late. */
export async function contentOf(database: Database, instanceId: string): Promise<Record<string, string>> {
  const { rows } = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'instance_id' and c.relkind in ('r', 'p') and c.relname not in ('api_usage', 'usage_days', 'instance_uses')
       and c.relnamespace = current_schema()::regnamespace order by 1`,
  )
  const found: Record<string, string> = {}
  for (const { name } of rows) {
    const sums = await database.query<{ sum: string | null }>(
      `select md5(string_agg(t::text, ',' order by t::text)) as sum from "${name}" t where instance_id = $1`,
      [instanceId],
    )
    found[name] = sums.rows[0]?.sum ?? ''
  }
  return found
}
