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
