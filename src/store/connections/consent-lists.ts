import type { Db } from '../db/database.ts'
import { absentLast, type Columns, checkBound, countBounded, type Selection, type Total, toCondition } from '../db/list-selection.ts'
import { toPage } from '../db/lists/list-page.ts'
import { CONSENT_COLUMNS, CONSENT_SOURCE, type Consent } from './consents.ts'

const LISTED = {
  id: { sql: 'k.id', type: 'uuid', key: 'k.id', isNeverNull: true },
  companyId: { sql: 'k.company_id', type: 'uuid', key: 'k.company_id' },
  serviceId: { sql: 'coalesce(c.service_id, k.service_id)', type: 'uuid' },
  sessionId: { sql: 'k.connection_id', type: 'uuid', key: 'k.connection_id' },
  linkId: { sql: 'k.link_id', type: 'uuid', key: 'k.link_id' },
  purpose: { sql: 'k.purpose_key', type: 'string', key: 'k.purpose_key', isNeverNull: true },
  purposeVersion: { sql: 'k.purpose_version', type: 'number' },
  language: { sql: 'left(k.language, 2)', type: 'string' },
  durationDays: { sql: 'k.duration_days', type: 'number' },
  givenOn: { sql: 'k.given_at', type: 'date', key: 'k.given_at', isNeverNull: true },
  expiresOn: { sql: 'k.expires_at', type: 'date', key: 'k.expires_at', isNeverNull: true },
  endedOn: { sql: 'k.ended_at', type: 'date', key: 'k.ended_at', order: absentLast('k.ended_at') },
  endedHow: { sql: 'k.ended_how', type: 'string' },
} as const satisfies Columns

/** Page of the consent ledger of an instance, of one company, or of its connections to one service. */
export async function readConsents(
  db: Db,
  scope: { instanceId: string; companyId?: string; serviceId?: string },
  selection: Selection,
): Promise<{ consents: Consent[]; total: Total }> {
  if (scope.companyId === undefined)
    await checkBound(db, selection, {
      from: 'from consents k where k.instance_id = $1',
      instanceId: scope.instanceId,
      columns: LISTED,
      range: 'givenOn',
    })
  const values: unknown[] = [scope.instanceId, scope.companyId ?? null, scope.serviceId ?? null]
  const condition = `k.instance_id = $1 and ($2::uuid is null or k.company_id = $2)
    and ($3::uuid is null or coalesce(c.service_id, k.service_id) = $3) and ${toCondition(selection.filter, LISTED, values)}`
  const from = `${CONSENT_SOURCE} where ${condition}`
  const total = await countBounded(db, from, values)
  const page = toPage({ from, columns: LISTED, tieBreak: 'k.id', total }, selection, values)
  const { rows } = await db.query<Consent>(`${CONSENT_COLUMNS} ${page}`, values)
  return { consents: rows, total }
}

/** Consents under which some connections may be read now, by connection: the newest of each. */
export async function listActiveConsents(db: Db, instanceId: string, connectionIds: readonly string[]): Promise<Map<string, Consent>> {
  if (connectionIds.length === 0) return new Map()
  const { rows } = await db.query<Consent & { connectionId: string }>(
    `${CONSENT_COLUMNS} ${CONSENT_SOURCE}
     where k.instance_id = $1 and k.connection_id = any($2) and k.ended_at is null order by k.given_at, k.id desc`,
    [instanceId, connectionIds],
  )
  return new Map(rows.map((consent) => [consent.connectionId, consent]))
}
