import type { Command } from './command/command.ts'
import { adminLink } from './commands/admin-link.ts'
import { backup } from './commands/backup.ts'
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

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
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
  mcp,
]
