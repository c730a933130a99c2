import { defineCommand, UsageError } from '../command/command.ts'

const ACTIONS = ['list', 'use', 'remove'] as const

export const profiles = defineCommand({
  name: 'profiles',
  summary: 'lists, chooses and removes the deployments that were logged in to',
  description: [
    'ACTION is one of: list; use NAME, which makes it the current one; remove NAME, which forgets its API key. The key itself stays valid until an administrator revokes it.',
  ],
  arguments: [
    { name: 'ACTION', summary: 'list, use, remove; list when left out', isOptional: true, choices: ACTIONS },
    { name: 'NAME', summary: 'the profile', isOptional: true },
  ],
  options: {},
  examples: [
    { line: 'countinghouse profiles', summary: 'the current one has a star' },
    { line: 'countinghouse profiles use live', summary: 'commands ask this deployment from now on' },
    { line: 'countinghouse profiles remove live', summary: 'forgets the key' },
  ],
  run: async (values, { env }) => {
    const action = values.argument(0) ?? 'list'
    const { getProfile, readProfiles, writeProfiles } = await import('../client/profiles.ts')
    const { table } = await import('../client/table.ts')
    const kept = await readProfiles(env)
    if (action === 'list') {
      const rows = Object.entries(kept.profiles).map(([name, { address, key }]) => ({
        ...{ name, address, isCurrent: name === kept.current },
        key: `${key.slice(0, 16)}…`,
      }))
      const text = table(rows.map(({ name, address, key, isCurrent }) => [isCurrent ? '*' : ' ', name, address, key]))
      return { document: rows, text: text || 'there is no profile yet; run: countinghouse login ADDRESS' }
    }
    if (action !== 'use' && action !== 'remove')
      throw new UsageError(`${JSON.stringify(action)} is no action; there are: ${ACTIONS.join(', ')}`)
    const name = values.argument(1)
    if (name === null) throw new UsageError('NAME is missing: the profile')
    const { address } = getProfile(kept.profiles, name)
    const { [name]: _, ...others } = kept.profiles
    const next =
      action === 'use'
        ? { ...kept, current: name }
        : { current: kept.current === name ? (Object.keys(others)[0] ?? null) : kept.current, profiles: others }
    await writeProfiles(env, next)
    return {
      document: { action, profile: name, current: next.current },
      text:
        action === 'use'
          ? `Commands ask ${address} from now on.`
          : `${name} is forgotten. Revoke its key in the portal if nobody else uses it.`,
    }
  },
})
