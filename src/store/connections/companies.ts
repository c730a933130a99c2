import { DatabaseError } from 'pg'
import type { Db } from '../db/database.ts'
import { deleteExportsOfCompany } from '../exports/exports.ts'
import { deleteEventsOfCompany } from '../webhooks/events.ts'
import { deleteRequestsOfCompany } from '../webhooks/receiver-requests.ts'
import { deleteConsentsOfCompany } from './consents.ts'
import { eraseCompanyRows, eraseConnectionData } from './erasure.ts'

export interface Company {
  id: string
  name: string
  industry: string
  fullAddress: string
  /** Two letters, upper case; empty when not known. */
  country: string
  city: string
  companyContactNumber: string
  /** The customer's own id; unique in the instance. */
  externalId: string | null
  /** The customer's own pairs of name and value. */
  metadata: Record<string, string>
  createdOn: Date
}

type OwnData = Pick<Company, 'externalId' | 'metadata'>
export type CompanyDetails = Omit<Company, 'id' | 'createdOn' | keyof OwnData> & Partial<OwnData>

/** Thrown when another company of the instance has the external id. */
export class ExternalIdTaken extends Error {}

/** Select list of a company. */
export const COMPANY_COLUMNS = `id, name, industry, full_address as "fullAddress", country, city, contact_number as "companyContactNumber",
  external_id as "externalId", metadata, created_at as "createdOn"`

/**
 * An existing company with this id is returned unchanged, since an earlier execution of the same request created it.
 * Throws `ExternalIdTaken`.
 */
export async function createCompany(db: Db, instanceId: string, id: string, details: CompanyDetails): Promise<Company> {
  const rows = await write(
    db,
    `insert into companies (instance_id, id, name, industry, full_address, country, city, contact_number, external_id, metadata)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce($10::jsonb, '{}')) on conflict (instance_id, id) do nothing returning ${COMPANY_COLUMNS}`,
    [instanceId, id, ...valuesOf(details)],
  )
  const company = rows[0] ?? (await findCompany(db, instanceId, id))
  if (!company) throw new Error('the insert returned no row')
  return company
}

export async function findCompany(db: Db, instanceId: string, id: string): Promise<Company | null> {
  const { rows } = await db.query<Company>(`select ${COMPANY_COLUMNS} from companies where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

/**
 * Replaces the details; omitted `externalId` and `metadata` stay unchanged. Returns null if the company does not
 * exist. Throws `ExternalIdTaken`.
 */
export async function updateCompany(db: Db, instanceId: string, id: string, details: CompanyDetails): Promise<Company | null> {
  const rows = await write(
    db,
    `update companies set name = $3, industry = $4, full_address = $5, country = $6, city = $7, contact_number = $8,
       external_id = case when $11 then external_id else $9 end, metadata = coalesce($10::jsonb, metadata)
     where instance_id = $1 and id = $2 returning ${COMPANY_COLUMNS}`,
    [instanceId, id, ...valuesOf(details), details.externalId === undefined],
  )
  return rows[0] ?? null
}

function valuesOf({ name, industry, fullAddress, country, city, companyContactNumber, externalId, metadata }: CompanyDetails): unknown[] {
  const more = [externalId ?? null, metadata === undefined ? null : JSON.stringify(metadata)]
  return [name, industry, fullAddress, country, city, companyContactNumber, ...more]
}

async function write(db: Db, text: string, values: unknown[]): Promise<Company[]> {
  try {
    return (await db.query<Company>(text, values)).rows
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'companies_by_external_id') throw new ExternalIdTaken()
    throw error
  }
}

/**
 * Deletes a company with its ended connections, remaining data and events. Refused while a connection is active
 * (`connected`), its revocation at the source is pending, or an export is being deleted at a destination (`erasing`).
 */
export async function deleteCompany(db: Db, instanceId: string, id: string): Promise<'deleted' | 'unknown' | 'connected' | 'erasing'> {
  const { rows } = await db.query<{ id: string; isActive: boolean; isErasing: boolean }>(
    `select c.id, c.status <> 26 as "isActive",
       (exists (select 1 from jobs j where j.kind = 'erase' and j.key = 'erase/' || c.id and j.state = 'ready')
         or exists (select 1 from jobs j where j.key = 'erase/' || c.id and j.state = 'running')) as "isErasing"
     from connections c where c.instance_id = $1 and c.company_id = $2 for update of c`,
    [instanceId, id],
  )
  if (rows.some((row) => row.isActive)) return 'connected'
  if (rows.some((row) => row.isErasing) || !(await deleteExportsOfCompany(db, instanceId, id))) return 'erasing'
  for (const { id: connectionId } of rows) await eraseConnectionData(db, instanceId, connectionId)
  await eraseCompanyRows(db, instanceId, id)
  await db.query('delete from connections where instance_id = $1 and company_id = $2', [instanceId, id])
  await deleteEventsOfCompany(db, instanceId, id)
  await deleteRequestsOfCompany(db, instanceId, id)
  await deleteConsentsOfCompany(db, instanceId, id)
  const { rowCount } = await db.query('delete from companies where instance_id = $1 and id = $2', [instanceId, id])
  return rowCount === 1 ? 'deleted' : 'unknown'
}

/** Whether data of an ended connection of the company is still to be erased. */
export async function isBeingErased(db: Db, instanceId: string, id: string): Promise<boolean> {
  const { rows } = await db.query(
    `select from connections c where c.instance_id = $1 and c.company_id = $2
       and exists (select from jobs j where j.key = 'erase/' || c.id and (j.kind = 'erase' and j.state = 'ready' or j.state = 'running')) limit 1`,
    [instanceId, id],
  )
  return rows.length > 0
}
