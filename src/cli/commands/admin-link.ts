import { defineCommand, UsageError } from '../command/command.ts'

export const adminLink = defineCommand({
  name: 'admin-link',
  summary: 'prints a one-time link with which an administrator sets a password',
  description: [
    'For the first administrator (SEED_EMAIL, created by the first start), or for one who has lost the password. The link works once, for an hour, and makes earlier ones invalid; a second factor stays required. Whoever has it becomes that administrator, so pass it on like a password.',
    'On the embedded PostgreSQL it works while the service runs, too.',
  ],
  options: { email: { value: 'ADDRESS', summary: 'the administrator; may be left out when there is one' } },
  examples: [
    { line: 'countinghouse admin-link', summary: 'after the first start in production' },
    { line: 'countinghouse admin-link --email avery@example.com', summary: 'for one of several administrators' },
  ],
  run: async (values, context) => {
    const [
      { auditWriter },
      { ownScope, withinActor },
      { issueAdminLink, NoSuchAdmin },
      { openExistingKeysOf },
      { checkKeys },
      { tokenHasher },
      { openDatabaseOf },
      { readSettings },
    ] = await Promise.all([
      import('../../audit/record.ts'),
      import('../../audit/actor.ts'),
      import('../../api/access/admin-link.ts'),
      import('../../process/settings/keys-setting.ts'),
      import('../../store/keys/key-fingerprints.ts'),
      import('../../store/keys/token-hash.ts'),
      import('../deployment/open-database.ts'),
      import('../deployment/settings.ts'),
    ])
    const config = readSettings(context)
    const { database, close } = await openDatabaseOf(config, (error) => context.say(error.message))
    try {
      const keys = await openExistingKeysOf(config)
      await checkKeys(database, keys)
      const access = { database, keys, hashes: tokenHasher(keys, ''), now: () => new Date() }
      const scope = ownScope(auditWriter(access), 'command', 'admin-link')
      const issue = () => issueAdminLink(access, values.text('email'), config.baseUrl)
      const { email, address, expiresAt } = await withinActor(scope, issue)
      return {
        document: { email, address, expiresOn: expiresAt.toISOString() },
        text: [`${email} sets a password here, once, until ${expiresAt.toISOString()}:`, '', address].join('\n'),
      }
    } catch (error) {
      throw error instanceof NoSuchAdmin ? new UsageError(error.message) : error
    } finally {
      await close()
    }
  },
})
