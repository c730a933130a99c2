import type { Db } from '../db/database.ts'

/** Whether assistants may read an instance's data through MCP. */
export interface McpAccess {
  isEnabled: boolean
}

export async function findMcpAccess(db: Db, instanceId: string): Promise<McpAccess> {
  const { rows } = await db.query<McpAccess>('select mcp_enabled_at is not null as "isEnabled" from instances where id = $1', [instanceId])
  return rows[0] ?? { isEnabled: false }
}

/** Locks the setting until the transaction ends; returns its previous value. */
export async function saveMcpAccess(db: Db, instanceId: string, { isEnabled }: McpAccess, at: Date): Promise<McpAccess> {
  const { rows } = await db.query<McpAccess>(
    'select mcp_enabled_at is not null as "isEnabled" from instances where id = $1 for no key update',
    [instanceId],
  )
  await db.query('update instances set mcp_enabled_at = case when $2 then coalesce(mcp_enabled_at, $3) end where id = $1', [
    instanceId,
    isEnabled,
    at,
  ])
  return rows[0] ?? { isEnabled: false }
}
