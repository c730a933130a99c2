/** `npm run build`: builds the pages and bundles that are missing; `npm run build -- cluster` what a first start copies. */
import { argv, stdout } from 'node:process'
import { buildBundle } from './bundle-files.ts'
import { buildCluster } from './cluster-files.ts'
import { buildDocumentation } from './documentation-files.ts'
import { buildPortal } from './portal-files.ts'
import { buildService } from './service-files.ts'

if (argv[2] === 'cluster') {
  stdout.write(`the cluster for first starts is at ${await buildCluster()}\n`)
} else {
  const [portal, documentation, bundle, service] = await Promise.all([buildPortal(), buildDocumentation(), buildBundle(), buildService()])
  stdout.write(`the portal is at ${portal}\nthe documentation is at ${documentation}\n`)
  stdout.write(`the bundled packages are at ${bundle}\nthe bundle of the service is in ${service}\n`)
}
