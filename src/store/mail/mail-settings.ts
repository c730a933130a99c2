import type { Db } from '../db/database.ts'

export interface MailSettings {
  /** Whether owners get mails automatically when a connection needs them. */
  writesToOwners: boolean
}

export async function getMailSettings(db: Db, instanceId: string): Promise<MailSettings> {
  const { rows } = await db.query<MailSettings>('select writes_to_owners as "writesToOwners" from mail_settings where instance_id = $1', [
    instanceId,
  ])
  return rows[0] ?? { writesToOwners: false }
}

export async function saveMailSettings(db: Db, instanceId: string, { writesToOwners }: MailSettings): Promise<void> {
  await db.query(
    `insert into mail_settings (instance_id, writes_to_owners) values ($1, $2)
     on conflict (instance_id) do update set writes_to_owners = $2`,
    [instanceId, writesToOwners],
  )
}
