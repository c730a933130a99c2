import { Type } from 'typebox'
import { isWholeApiKey } from '../../api/access/keys/key-text.ts'
import { type CommandContext, type CommandResult, UsageError } from '../command/command.ts'
import { Api, ApiFailure } from './api.ts'
import { type Profile, profilesFile, readProfiles, writeProfiles } from './profiles.ts'
import { readKey } from './read-key.ts'

/** Key entered by the user, checked for typing errors. */
export async function readOwnKey({ env }: CommandContext, address: string): Promise<string> {
  const key = env.COUNTINGHOUSE_API_KEY?.trim() || (await readKey(`API key for ${address}: `))
  if (!isWholeApiKey(key))
    throw new UsageError('this is no API key, or not all of one: it begins with ch_live_ or ch_test_ and ends with a checksum')
  return key
}

/** Tests a profile and saves it as the current one. */
export async function logIn({ env }: CommandContext, name: string, profile: Profile): Promise<CommandResult> {
  const lacksScope = await tryKey(profile)
  const { profiles } = await readProfiles(env)
  await writeProfiles(env, { current: name, profiles: { ...profiles, [name]: profile } })
  const hint = lacksScope ? '\nThe key lacks the scope companies:read, which most commands need.' : ''
  return {
    document: { profile: name, address: profile.address, file: profilesFile(env) },
    text: `Logged in to ${profile.address} as profile ${name}.${hint}`,
  }
}

/** Whether the key is valid but lacks the scope of the request. Throws `ApiFailure`. */
async function tryKey(profile: Profile): Promise<boolean> {
  try {
    await new Api(profile).read(Type.Object({ data: Type.Array(Type.Unknown()) }), '/normalized-data/companies?PageSize=10')
    return false
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403 && error.message.includes('scope')) return true
    throw error
  }
}
