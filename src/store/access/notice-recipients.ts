import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'

/** User as the recipient of a mail about an account. */
export interface NoticeRecipient {
  instanceId: string
  email: string
  name: string
  /** Language of the browser at the last login; null: not known. */
  language: Locale | null
}

const COLUMNS = 'instance_id as "instanceId", email, name, language'

export async function findNoticeRecipient(db: Db, instanceId: string, userId: string): Promise<NoticeRecipient | null> {
  const { rows } = await db.query<NoticeRecipient>(`select ${COLUMNS} from users where instance_id = $1 and id = $2`, [instanceId, userId])
  return rows[0] ?? null
}

/** Admins of an instance who may log in, oldest first, without `exceptId`. */
export async function listAdminRecipients(db: Db, instanceId: string, exceptId: string, limit: number): Promise<NoticeRecipient[]> {
  const { rows } = await db.query<NoticeRecipient>(
    `select ${COLUMNS} from users where instance_id = $1 and id <> $2 and role = 'admin' and disabled_at is null
     order by created_at, id limit $3`,
    [instanceId, exceptId, limit],
  )
  return rows
}

/** Records a login and the language of its browser, if known; returns when the login before was, null: never. */
export async function noteLogin(db: Db, instanceId: string, userId: string, at: Date, language: Locale | null): Promise<Date | null> {
  const { rows } = await db.query<{ before: Date | null }>(
    `with known as (select last_login_at as before from users where instance_id = $1 and id = $2 for no key update)
     update users set last_login_at = $3, language = coalesce($4, language) from known where instance_id = $1 and id = $2
     returning known.before`,
    [instanceId, userId, at, language],
  )
  return rows[0]?.before ?? null
}
