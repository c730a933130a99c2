import type { CommandContext, Values } from '../command/command.ts'
import { Api } from './api.ts'
import { checkProfileName, findProfile } from './profiles.ts'

/** API of the selected profile. `signal` aborts requests in progress. */
export async function openApi(
  values: Values<'profile'>,
  { env }: Pick<CommandContext, 'env'>,
  signal: AbortSignal | null = null,
): Promise<Api> {
  const name = values.text('profile')
  return new Api(await findProfile(env, name === null ? null : checkProfileName(name)), signal)
}
