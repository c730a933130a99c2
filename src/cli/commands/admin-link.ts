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
    const [{ issueAdminLink, NoSuchAdmin }, { withOperator }] = await Promise.all([
      import('../../api/access/account/admin-link.ts'),
      import('../deployment/open-operator.ts'),
    ])
    try {
      const { email, address, expiresAt } = await withOperator(context, 'admin-link', (operator) =>
        issueAdminLink(operator, values.text('email'), operator.publicUrl),
      )
      return {
        document: { email, address, expiresOn: expiresAt.toISOString() },
        text: [`${email} sets a password here, once, until ${expiresAt.toISOString()}:`, '', address].join('\n'),
      }
    } catch (error) {
      throw error instanceof NoSuchAdmin ? new UsageError(error.message) : error
    }
  },
})
