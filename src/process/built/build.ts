/** `npm run build`: builds the pages that are missing, and a bundle; `npm run build -- cluster` what a first start copies. */
import { argv, stdout } from 'node:process'
import { buildBundle } from './bundle-files.ts'
import { buildCluster } from './cluster-files.ts'
import { buildDocumentation } from './documentation-files.ts'
import { buildPortal } from './portal-files.ts'

if (argv[2] === 'cluster') {
  stdout.write(`the cluster for first starts is at ${await buildCluster()}\n`)
} else {
  const [portal, documentation, bundle] = await Promise.all([buildPortal(), buildDocumentation(), buildBundle()])
  stdout.write(`the portal is at ${portal}\nthe documentation is at ${documentation}\nthe bundled packages are at ${bundle}\n`)
}
