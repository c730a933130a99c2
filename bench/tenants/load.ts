import { loadByAutocannon } from '../load/autocannon.ts'
import type { LoadTarget } from '../load/load.ts'

/** The load of one tenant, in a process of its own: it must not delay the requests that are measured. */
const target = JSON.parse(process.argv[2] ?? '{}') as LoadTarget
process.stdout.write(JSON.stringify(await loadByAutocannon(target)))
