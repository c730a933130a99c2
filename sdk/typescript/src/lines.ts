import { ApiError, BrokenOffError, describeCause } from './errors.ts'

/** A line of a file, and the number of bytes up to its end. */
interface Line {
  text: string
  end: number
}

type Lines = AsyncGenerator<Line, void, undefined>

export interface OpenedFile {
  stream: ReadableStream<Uint8Array> | null
  response: Response
}

/**
 * JSON documents of a stream of lines (NDJSON), one after the other. Throws `BrokenOffError` when the stream breaks off
 * or ends within a line.
 */
export async function* readLines<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T, void, undefined> {
  yield* parseLines<T>(splitLines(stream))
}

/** The caller knows what its lines are. */
export async function* parseLines<T>(lines: Lines): AsyncGenerator<T, void, undefined> {
  for await (const { text } of lines) yield JSON.parse(text) as T
}

/**
 * Lines of a file that can be read from any byte. Reading goes on behind the last whole line when it breaks off, as
 * long as each attempt brings at least one; never in another version of the file.
 */
export async function* eachLineOfFile(open: (headers: Record<string, string>) => Promise<OpenedFile>): Lines {
  let done = 0
  let tag: string | null = null
  for (;;) {
    const start = done
    try {
      const { stream, response } = await open(start === 0 || tag === null ? {} : { range: `bytes=${start}-`, 'if-range': tag })
      if (start > 0 && response.status !== 206) throw new ApiError('The file is another one now: begin again.', response)
      tag = response.headers.get('etag')
      if (stream === null) return
      for await (const { text, end } of splitLines(stream)) {
        done = start + end
        yield { text, end: done }
      }
      return
    } catch (error) {
      // The file ends exactly where the connection broke off.
      if (error instanceof ApiError && error.status === 416 && start > 0) return
      if (!(error instanceof BrokenOffError) || done === start) throw error
    }
  }
}

export async function* splitLines(stream: ReadableStream<Uint8Array>): Lines {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  let end = 0
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(rethrowBreak)
      rest += decoder.decode(value, { stream: !done })
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const text of lines) {
        end += encoder.encode(text).length + 1
        if (text !== '') yield { text, end }
      }
      if (done) break
    }
    if (rest !== '') throw new BrokenOffError('The stream ended within a line: the lines before it are whole, more is missing.')
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** `fetch` throws a TypeError for a connection that broke. */
function rethrowBreak(error: unknown): never {
  if (!(error instanceof TypeError)) throw error
  throw new BrokenOffError(`The stream broke off: ${describeCause(error)}. The lines before it are whole.`, { cause: error })
}
