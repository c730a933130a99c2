/**
 * Compiles what a start loads into the folder NODE_COMPILE_CACHE, as a step of an installation: the first start then is
 * as fast as later ones, and no process loads what strips types, which takes some 10 MB of memory.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBundle } from './bundled.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundle = findBundle(root)
for (const name of ['run-process', 'start-server', 'start-workers'])
  await import(pathToFileURL(bundle === null ? join(root, 'src', 'process', `${name}.ts`) : join(bundle, `${name}.js`)).href)
process.argv.push('--version')
await import('./countinghouse.js')
