import type { Command } from './command/command.ts'
import { adminLink } from './commands/admin-link.ts'
import { doctor } from './commands/doctor.ts'
import { migrate } from './commands/migrate.ts'
import { replay } from './commands/replay.ts'
import { rotateKey } from './commands/rotate-key.ts'
import { start } from './commands/start.ts'
import { webhookAddress } from './commands/webhook-address.ts'

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [start, doctor, migrate, adminLink, rotateKey, replay, webhookAddress]
