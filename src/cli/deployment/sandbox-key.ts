import { Type } from 'typebox'
import { SCOPES } from '../../api/access/keys/scopes.ts'
import { Api } from '../client/api.ts'
import type { Profile } from '../client/profiles.ts'
import { type CommandContext, UsageError } from '../command/command.ts'
import { issueSandboxToken } from './sandbox-token.ts'
import { readSettings } from './settings.ts'

/** Scopes of users and their provisioning, which no command needs. */
const UNUSED = new Set<string>(['scim', 'audit:read', 'settings:write', 'sources:write'])
const Issued = Type.Object({ key: Type.String() })

/** Creates an API key in the sandbox on this machine, as its first administrator; the service must be running. */
export async function createSandboxKey(context: CommandContext): Promise<Profile> {
  const config = readSettings(context)
  if (config.environment !== 'sandbox')
    throw new UsageError('--sandbox creates keys in a sandbox only; create one on the page “API keys” of the portal')
  const address = config.baseUrl
  // Checks that the service runs before its database is opened.
  await fetch(`${address}/healthz`).catch((cause: unknown) => {
    throw new Error(`nobody answers at ${address}; start the service first (npm start), with the same settings`, { cause })
  })
  const session = new Api({ address, key: await issueSandboxToken(config) })
  const body = { name: 'Command line', scopes: SCOPES.filter((scope) => !UNUSED.has(scope)) }
  const { key } = await session.read(Issued, '/api-keys', { method: 'POST', body })
  return { address, key }
}
