import type { Db } from './database.ts'

/** Whether the role that we work as is kept to one instance's rows: PostgreSQL lets a superuser, and a role with BYPASSRLS, through everywhere. */
export async function isBoundByRowSecurity(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isBound: boolean }>(`select row_security_active('companies') as "isBound"`)
  return rows[0]?.isBound ?? false
}
