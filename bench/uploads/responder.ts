import { monitorEventLoopDelay } from 'node:perf_hooks'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { hashLarge } from '../../src/model/steps/large-bytes.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'
import { STATEMENTS } from '../banking/statements.ts'

/** Effect of one file on the process that accepted it, in milliseconds. */
export interface Pauses {
  /** Longest time without an answer while the file was checked, hashed and sealed. */
  longestMs: number
  tookMs: number
  /** The same while the process was idle. */
  idleMs: number
}

const BYTES = 24_000_000

/** Accepts one file in its own process: `node responder.ts FILE DATA_DIR`; FILE is a format, or `hostile`. */
const [file = '', dataDir = ''] = process.argv.slice(2)
const authorize = { reader: new URL('../../src/connectors/bank-files/reader.ts', import.meta.url) }
const sealer = createSealer(await openKeys(dataDir))
const bytes = Buffer.from(file === 'hostile' ? `OFXHEADER:100\n\n<OFX>${'<'.repeat(BYTES)}` : (STATEMENTS[file]?.write(BYTES) ?? ''))
const idleMs = await longestPause(() => new Promise((resolve) => setTimeout(resolve, 500)))
const startedMs = performance.now()
const longestMs = await longestPause(async () => {
  await new FileThreads().examine(authorize, bytes).catch(() => undefined)
  await hashLarge(bytes)
  await sealer.sealLarge({ instanceId: 'bench', table: 'source_files', rowId: 'bench', column: 'sealed' }, bytes)
})
const pauses: Pauses = { longestMs, tookMs: performance.now() - startedMs, idleMs }
process.stdout.write(JSON.stringify(pauses))

async function longestPause(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}
