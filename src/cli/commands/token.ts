import { defineCommand, UsageError } from '../command/command.ts'

export const token = defineCommand({
  name: 'token',
  summary: 'prints an access token of the sandbox’s first administrator',
  description: [
    'For trying the API from a shell. It opens a session as that administrator, without the password: whoever can read DATA_DIR/keys can sign tokens anyway. BASE_URL (or HOST and PORT) must be that of the running service. Refused in production.',
  ],
  options: {},
  examples: [{ line: 'countinghouse token', summary: 'for authorization: Bearer …' }],
  run: async (_values, context) => {
    const { readSettings } = await import('../deployment/settings.ts')
    const config = readSettings(context)
    if (config.environment !== 'sandbox') throw new UsageError('tokens are printed in the sandbox only; sign in at the API instead')
    const { issueSandboxToken } = await import('../deployment/sandbox-token.ts')
    const accessToken = await issueSandboxToken(config)
    return { document: { access_token: accessToken }, text: accessToken }
  },
})
