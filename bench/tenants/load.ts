import { constants, setPriority } from 'node:os'
import { loadByAutocannon } from '../load/autocannon.ts'
import type { LoadTarget } from '../load/load.ts'

/**
 * The load of one tenant, in a process of its own and at the lowest priority: it stands for clients on other machines,
 * which take little time from PostgreSQL and from the client that is measured.
 */
setPriority(constants.priority.PRIORITY_LOW)
const target = JSON.parse(process.argv[2] ?? '{}') as LoadTarget
process.stdout.write(JSON.stringify(await loadByAutocannon(target)))
