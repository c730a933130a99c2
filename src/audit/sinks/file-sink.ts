import { open } from 'node:fs/promises'
import { type AuditSink, toSinkLine } from './sink.ts'

/**
 * File sink: JSON lines, appended and on the disk before the entries count as taken. Opened for each batch, so that it
 * may be rotated at any time.
 */
export function createFileSink(path: string): AuditSink {
  return {
    write: async (entries) => {
      const file = await open(path, 'a+', 0o600)
      try {
        const lines = entries.map((entry) => `${toSinkLine(entry)}\n`).join('')
        const bytes = Buffer.from((await isCutOff(file)) ? `\n${lines}` : lines)
        // One write, so that batches which another process appends lie before or after it.
        const { bytesWritten } = await file.write(bytes)
        if (bytesWritten < bytes.length) throw new Error('the file took only a part of the entries')
        await file.datasync()
      } finally {
        await file.close()
      }
    },
  }
}

/** Whether the file ends within a line: the process died while it wrote. */
async function isCutOff(file: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}
