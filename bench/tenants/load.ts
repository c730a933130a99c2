import { loadByAutocannon } from '../load/autocannon.ts'
import type { LoadTarget } from '../load/load.ts'

/** The load of one tenant, in a separate process, so that it does not delay the measured requests. */
const target = JSON.parse(process.argv[2] ?? '{}') as LoadTarget
process.stdout.write(JSON.stringify(await loadByAutocannon(target)))
