import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { pinnedReads } from '../../store/db/replicas/pinned-reads.ts'
import { findChunkAt } from '../../store/exports/export-progress.ts'
import type { ExportKey } from '../../store/exports/exports.ts'
import type { Store, Vault } from '../context/groups.ts'
import { chunkContext } from './run-export.ts'

const decompress = promisify(zstdDecompress)

/** Thrown when a file is deleted while it is being read. */
class ExportGone extends Error {}

/**
 * Bytes of a finished file from `start` to before `end`, one piece at a time; holds no database connection in between.
 */
export async function* readExportFile(
  { database, replicas, sealer }: Store & Pick<Vault, 'sealer'>,
  key: ExportKey,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const inScope = pinnedReads(replicas, key.instanceId)
  for (let at = start; at < end; ) {
    const place = at
    // A stream is read outside the scope of its request.
    const chunk = await inScope(() => findChunkAt(database, key, place))
    if (!chunk) throw new ExportGone('the file is gone')
    const bytes = await decompress(sealer.open(chunkContext(key.instanceId, chunk.id), chunk.sealed))
    const piece = bytes.subarray(at - chunk.startsAt, end - chunk.startsAt)
    at += piece.length
    yield piece
  }
}
