import { changes } from './client-commands/changes.ts'
import { companies } from './client-commands/companies.ts'
import { connections } from './client-commands/connections.ts'
import { exportData } from './client-commands/export.ts'
import { link } from './client-commands/link.ts'
import { listen } from './client-commands/listen.ts'
import { login } from './client-commands/login.ts'
import { profiles } from './client-commands/profiles.ts'
import { sandbox } from './client-commands/sandbox.ts'
import { sync } from './client-commands/sync.ts'
import type { Command } from './command/command.ts'
import { adminLink } from './commands/admin-link.ts'
import { backup } from './commands/backup.ts'
import { completion } from './commands/completion.ts'
import { doctor } from './commands/doctor.ts'
import { instance } from './commands/instance.ts'
import { mcp } from './commands/mcp.ts'
import { migrate } from './commands/migrate.ts'
import { operatorLink } from './commands/operator-link.ts'
import { pause } from './commands/pause.ts'
import { replay } from './commands/replay.ts'
import { restore } from './commands/restore.ts'
import { resume } from './commands/resume.ts'
import { rotateKey } from './commands/rotate-key.ts'
import { start } from './commands/start.ts'
import { token } from './commands/token.ts'
import { verify } from './commands/verify.ts'
import { webhookAddress } from './commands/webhook-address.ts'

/** Commands on a deployment of one's own, in the order of the help. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  start,
  doctor,
  migrate,
  adminLink,
  operatorLink,
  instance,
  backup,
  restore,
  verify,
  pause,
  resume,
  rotateKey,
  replay,
  webhookAddress,
  token,
]

/** Commands on any deployment, by its address and an API key. */
export const DEVELOPER_COMMANDS: readonly Command[] = [
  login,
  profiles,
  companies,
  link,
  connections,
  listen,
  sync,
  changes,
  exportData,
  sandbox,
  mcp,
]

export const COMMANDS: readonly Command[] = [...OPERATOR_COMMANDS, ...DEVELOPER_COMMANDS, completion]
