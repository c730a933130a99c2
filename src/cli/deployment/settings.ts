import { type Config, readConfig } from '../../process/settings/config.ts'
import { applyDatabasePassword } from '../../process/settings/database-settings.ts'
import { systemFolders } from '../../process/settings/folders.ts'
import type { CommandContext } from '../command/command.ts'

/**
 * Settings of the deployment, as the service reads them; reports names that look misspelt, and lets
 * connections to the database log in as they say. A command that needs
 * DATA_DIR reports problems with it itself, and no command serves anything with a certificate. Throws `ConfigError`.
 */
export function readSettings({ env, say }: Pick<CommandContext, 'env' | 'say'>): Config {
  const config = readConfig(env, [], { isFolder: systemFolders.isFolder, findDataFault: () => null, findTlsFaults: () => [] })
  applyDatabasePassword(config)
  for (const doubt of config.doubts) say(`warning: ${doubt}`)
  return config
}
