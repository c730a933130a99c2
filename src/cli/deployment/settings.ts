import { statSync } from 'node:fs'
import { type Config, readConfig } from '../../process/settings/config.ts'
import type { CommandContext } from '../command/command.ts'

/** Settings of the deployment, as the service reads them; tells of names that look misspelt. Throws `ConfigError`. */
export function readSettings({ env, say }: Pick<CommandContext, 'env' | 'say'>): Config {
  const config = readConfig(env, [], (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
  for (const doubt of config.doubts) say(`warning: ${doubt}`)
  return config
}
