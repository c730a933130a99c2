/** Command that bundles the service of this checkout; used by `npm run build`, and by a start in a child process. */
import { resolve } from 'node:path'
import { stdout } from 'node:process'
import { bundlesOf, findBundle } from '../../bin/bundled.js'
import { bundleService } from './bundle-service.ts'

const ROOT = resolve(import.meta.dirname, '..', '..')
if (findBundle(ROOT) === null) await bundleService(ROOT)
stdout.write(`the bundle of the service is in ${bundlesOf(ROOT)}\n`)
