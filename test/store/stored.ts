import { randomBytes, randomUUID } from 'node:crypto'
import { type Connection, createConnection, findConnection, type NewConnection } from '../../src/store/connections/connections.ts'
import { createLink, type NewLink } from '../../src/store/connections/links.ts'
import type { Database } from '../../src/store/db/database.ts'
import { addCompany, addInstance } from '../harness/app/tenants.ts'

/** Ids of two instances with a company each. */
export interface Tenants {
  instanceId: string
  companyId: string
  otherId: string
  otherCompanyId: string
}

export async function storeTenants(database: Database): Promise<Tenants> {
  const [instanceId, otherId] = [await addInstance(database), await addInstance(database)]
  return { instanceId, otherId, companyId: await addCompany(database, instanceId), otherCompanyId: await addCompany(database, otherId) }
}

/** A link that nobody has stored yet. */
export function newLink({ instanceId, companyId }: Pick<Tenants, 'instanceId' | 'companyId'>, more: Partial<NewLink> = {}): NewLink {
  return {
    ...{ instanceId, companyId, id: randomUUID(), tokenHash: randomBytes(32), serviceId: randomUUID(), issuedBy: 'dev@maple.example' },
    ...{ applicationId: null, lifeHours: 24, purposeKey: null, language: null, returnUrl: null, ...more },
  }
}

export async function storeLink(
  database: Database,
  tenant: Pick<Tenants, 'instanceId' | 'companyId'>,
  more: Partial<NewLink> = {},
): Promise<NewLink> {
  const link = newLink(tenant, more)
  await createLink(database, link)
  return link
}

/** Stores a connection and sets columns of it; `columns` are SQL texts by name. */
export async function storeConnection(
  database: Database,
  { instanceId, companyId }: Pick<Tenants, 'instanceId' | 'companyId'>,
  more: Partial<NewConnection> = {},
  columns: Readonly<Record<string, string>> = {},
): Promise<Connection> {
  const id = more.id ?? randomUUID()
  await createConnection(database, {
    ...{ instanceId, companyId, id, serviceId: randomUUID(), connectorKey: 'quickbooks', category: 'Accounting' },
    ...{ email: 'owner@maple.example', status: 9, refreshHours: 24, applicationId: null, ...more },
  })
  await setColumns(database, 'connections', { instanceId, id }, columns)
  const stored = await findConnection(database, instanceId, id)
  if (!stored) throw new Error('the connection was not stored')
  return stored
}

/** Sets columns of one row to SQL expressions. */
export async function setColumns(
  database: Database,
  table: string,
  { instanceId, id }: { instanceId: string; id: string },
  columns: Readonly<Record<string, string>>,
): Promise<void> {
  const changes = Object.entries(columns).map(([name, value]) => `${name} = ${value}`)
  if (changes.length > 0)
    await database.query(`update ${table} set ${changes.join(', ')} where instance_id = $1 and id = $2`, [instanceId, id])
}

/** Values of one column of all rows of an instance. */
export async function listColumn(database: Database, table: string, column: string, instanceId: string): Promise<unknown[]> {
  const { rows } = await database.query<{ value: unknown }>(`select ${column} as value from ${table} where instance_id = $1 order by 1`, [
    instanceId,
  ])
  return rows.map(({ value }) => value)
}
