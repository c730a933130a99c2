import type { Db } from './database.ts'

/** Whether row-level security applies to our role: PostgreSQL exempts superusers and roles with BYPASSRLS. */
export async function isBoundByRowSecurity(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ isBound: boolean }>(`select row_security_active('companies') as "isBound"`)
  return rows[0]?.isBound ?? false
}
