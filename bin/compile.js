/**
 * Compiles what a start loads into the folder NODE_COMPILE_CACHE, as a step of an installation: the first start then is
 * as fast as later ones, and no process loads what strips types, which takes some 10 MB of memory.
 */
for (const name of ['run-process', 'start-server', 'start-workers']) await import(`../src/process/${name}.ts`)
process.argv.push('--version')
await import('./countinghouse.js')
