import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { importFromBundles } from '../built/bundles.ts'
import { lowerPriority } from '../system/below-normal-priority.ts'

/** Entry point of the process of exports. It ends with its parent, however that ends, and at no signal meant for a group of processes. */
process.once('disconnect', () => process.exit(0))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
lowerPriority()
enableCompileCache(join(import.meta.dirname, '../../..', 'node_modules', '.cache', 'compiled'))
importFromBundles()
await import('./serve-exports.ts')
