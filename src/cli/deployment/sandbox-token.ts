import { AccessTokens } from '../../api/access/access-tokens.ts'
import { openSession } from '../../api/access/sessions.ts'
import { ownScope, withinActor } from '../../audit/actor.ts'
import { auditWriter, recordChange } from '../../audit/record.ts'
import { apiSettings } from '../../process/settings/api-settings.ts'
import type { Config } from '../../process/settings/config.ts'
import { openExistingKeysOf } from '../../process/settings/keys-setting.ts'
import { listAdmins } from '../../store/access/users.ts'
import { inTransaction } from '../../store/db/database.ts'
import { checkKeys } from '../../store/keys/key-fingerprints.ts'
import { tokenHasher } from '../../store/keys/token-hash.ts'
import { openDatabaseOf } from './open-database.ts'

/** Access token of the oldest administrator; only for a sandbox. Throws when there is none yet. */
export async function issueSandboxToken(config: Config): Promise<string> {
  const { database, close } = await openDatabaseOf(config, () => undefined)
  try {
    const keys = await openExistingKeysOf(config)
    await checkKeys(database, keys)
    const [admin] = await listAdmins(database, 1)
    if (!admin) throw new Error('there is no administrator yet; start the service first')
    const now = () => new Date()
    const access = { now, hashes: tokenHasher(keys, ''), tokens: new AccessTokens(keys.signing, apiSettings(config), now) }
    const { instanceId, id } = admin
    const issue = () =>
      inTransaction(database, async (db) => {
        const issued = await openSession(access, db, admin, null, { proofWay: 'password', lifeMs: null })
        await recordChange(db, { instanceId, action: 'login.succeeded', subject: `user/${id}` })
        return issued.accessToken
      })
    return await withinActor(ownScope(auditWriter({ keys, now }), 'command', 'token'), issue)
  } finally {
    await close()
  }
}
