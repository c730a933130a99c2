import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Stripping types takes longer than running the code: what was stripped once is kept. Where nothing can be written Node goes without.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compiled'))
await import('./cli/load-bundles.ts')
await import('./cli/run.ts')
