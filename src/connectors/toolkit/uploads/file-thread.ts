import { parentPort, workerData } from 'node:worker_threads'
import { type FileReader, InputRefused } from '../../contract/authorization.ts'
import { SourceError, type SourceItem } from '../../contract/contract.ts'
import type { ThreadData, ThreadReply, ThreadRequest } from './file-thread-messages.ts'

/** Records per message: few, because the process receives a message in one step. */
const BATCH = 100

/** Entry point of a file reader thread: the connector's reader, called over the port. */
const port = parentPort
if (port === null) throw new Error('this runs in a thread only')
// Node has read it; the reader gets no setting.
delete process.env.NODE_COMPILE_CACHE
const data: ThreadData = workerData
const loaded: { reader: FileReader } = await import(data.reader)
let items: Iterator<SourceItem> | null = null

port.on('message', (ask: ThreadRequest) => {
  try {
    port.postMessage(answer(loaded.reader, ask))
  } catch (error) {
    port.postMessage(toFailure(error))
  }
})

function answer(reader: FileReader, ask: ThreadRequest): ThreadReply {
  if (ask.ask === 'examine') return { told: 'examined', examined: reader.examine(ask.bytes) }
  if (ask.ask === 'read') items = reader.read(ask.answers)[Symbol.iterator]()
  const batch: SourceItem[] = []
  while (items !== null && batch.length < BATCH) {
    const { value, done } = items.next()
    if (done) {
      // The thread may wait for another page.
      items = null
      return { told: 'items', items: batch, isDone: true }
    }
    batch.push(value)
  }
  return { told: 'items', items: batch, isDone: items === null }
}

/** Failure of a reader; anything else is a fault of ours and reported without its message, which may quote the file. */
function toFailure(error: unknown): ThreadReply {
  if (error instanceof InputRefused) return { told: 'refused', text: error.text, field: error.field }
  if (error instanceof SourceError) return { told: 'badData', message: error.message }
  return { told: 'failed', stack: error instanceof Error ? `${error.name}\n${error.stack?.split('\n').slice(1).join('\n')}` : 'no error' }
}
