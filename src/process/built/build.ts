/** `npm run build`: builds the pages that are missing. */
import { stdout } from 'node:process'
import { buildDocumentation } from './documentation-files.ts'
import { buildPortal } from './portal-files.ts'

const [portal, documentation] = await Promise.all([buildPortal(), buildDocumentation()])
stdout.write(`the portal is at ${portal}\nthe documentation is at ${documentation}\n`)
