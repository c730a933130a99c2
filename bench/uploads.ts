import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SpooledFile } from '../src/connect/uploads/spooled-file.ts'
import { STATEMENTS } from './banking/statements.ts'
import { atMost, type Figure, untargeted } from './figures.ts'
import type { Effort } from './options.ts'
import { printProgress } from './progress.ts'
import { median } from './statistics.ts'
import type { Pauses } from './uploads/responder.ts'

const run = promisify(execFile)
const RESPONDER = join(import.meta.dirname, 'uploads', 'responder.ts')
const UNFINISHED = 25
const MEGABYTE = 1024 * 1024

/**
 * How long valid and hostile files of 24 MB delay other requests, compared with an idle process, and the memory of
 * unfinished uploads.
 */
export async function benchUploads({ rounds }: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  const dataDir = await mkdtemp(join(tmpdir(), 'countinghouse-bench-'))
  try {
    for (const file of [...Object.keys(STATEMENTS), 'hostile']) {
      printProgress(`uploads: 24 MB, ${file}`)
      const measured: Pauses[] = []
      for (let round = 0; round < rounds; round += 1) {
        const { stdout } = await run(process.execPath, [RESPONDER, file, dataDir])
        measured.push(JSON.parse(stdout) as Pauses)
      }
      figures.push(
        atMost(
          `24 MB, ${file}: longest pause for others above an idle process, ms`,
          median(measured.map(({ longestMs, idleMs }) => longestMs - idleMs)),
          50,
          0,
        ),
        untargeted('  judged, hashed and sealed in, ms', median(measured.map(({ tookMs }) => tookMs)).toFixed(0)),
      )
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
  printProgress(`uploads: ${UNFINISHED} unfinished`)
  return [...figures, await measureUnfinished()]
}

/** Memory of unfinished uploads of 24 MB each. */
async function measureUnfinished(): Promise<Figure> {
  const before = process.memoryUsage().rss
  const files = Array.from({ length: UNFINISHED }, () => new SpooledFile('statement.ofx'))
  const chunk = Buffer.alloc(64 * 1024, 'x')
  for (let sent = 0; sent < 24 * MEGABYTE; sent += chunk.length) for (const file of files) await file.write(chunk)
  const added = (process.memoryUsage().rss - before) / MEGABYTE
  for (const file of files) await file.discard()
  return atMost(`${UNFINISHED} unfinished uploads of 24 MB: memory added, MiB`, added, 100, 0)
}
