import { SpooledFile } from '../../src/connect/uploads/spooled-file.ts'
import { FileThreads } from '../../src/connectors/toolkit/uploads/file-threads.ts'
import { hashLarge } from '../../src/model/steps/large-bytes.ts'
import { openKeys } from '../../src/store/keys/keys.ts'
import { createSealer } from '../../src/store/keys/sealing.ts'

/** Costs of uploads in a process that does nothing else: `node upload-costs.ts DATA_DIR`, as JSON. */
export interface UploadCosts {
  /** Memory added by 25 uploads that are not finished. */
  unfinishedMiB: number
  /** Longest work without coming back to the event loop while a hostile file was judged, hashed and sealed. */
  longestBlockMs: number
  refusal: string
}

const UNFINISHED = 25
/** Far more than the limit, together: files that stay in memory are noticed. */
const UNFINISHED_BYTES = 12 * 1024 * 1024
const HOSTILE_BYTES = 24_000_000

const [dataDir = ''] = process.argv.slice(2)
const unfinishedMiB = await measureUnfinished()
process.stdout.write(`${JSON.stringify({ unfinishedMiB, ...(await judgeHostileFile()) } satisfies UploadCosts)}\n`)

async function measureUnfinished(): Promise<number> {
  const before = process.memoryUsage.rss()
  const files = Array.from({ length: UNFINISHED }, () => new SpooledFile('statement.ofx'))
  const chunk = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < UNFINISHED_BYTES; sent += chunk.length) for (const file of files) await file.write(chunk)
  const added = process.memoryUsage.rss() - before
  for (const file of files) await file.discard()
  return added / 1024 / 1024
}

async function judgeHostileFile(): Promise<Omit<UploadCosts, 'unfinishedMiB'>> {
  const bytes = Buffer.from(`OFXHEADER:100\n\n<OFX>${'<'.repeat(HOSTILE_BYTES)}`)
  const sealer = createSealer(await openKeys(dataDir))
  const reader = new URL('../../src/connectors/bank-files/reader.ts', import.meta.url)
  const stop = watchBlocking()
  const refusal = await new FileThreads().examine({ reader }, bytes).then(() => '', String)
  await hashLarge(bytes)
  await sealer.sealLarge({ instanceId: 'test', table: 'source_files', rowId: 'test', column: 'sealed' }, bytes)
  return { longestBlockMs: stop(), refusal }
}

/** By processor time of this thread: other work of the machine does not count. */
function watchBlocking(): () => number {
  let longestMicros = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const used = process.threadCpuUsage(before)
    longestMicros = Math.max(longestMicros, used.user + used.system)
    before = process.threadCpuUsage()
  }
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    look()
    return longestMicros / 1_000
  }
}
