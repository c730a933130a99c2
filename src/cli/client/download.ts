import { existsSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { reasonOf } from '../../model/texts/reason-of.ts'
import { UsageError } from '../command/command.ts'
import { type Api, ApiFailure, fetchReasonOf } from './api.ts'
import type { Progress } from './connections.ts'
import { pollUntil } from './polling.ts'

export interface Download {
  /** API path that supports `Range`. */
  path: string
  bytes: number
  /** Null: standard output. */
  to: string | null
  /** Distinguishes the incomplete file. */
  name: string
}

interface Sink {
  write(chunk: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Throws `UsageError` for a file that exists, or whose folder does not. */
export function checkTarget(to: string): void {
  if (existsSync(to)) throw new UsageError(`${to} exists; name another file, or remove it`)
  if (!existsSync(dirname(to))) throw new UsageError(`there is no folder ${dirname(to)}`)
}

/** Downloads a file; an interrupted download resumes where it stopped, also in a later process. */
export async function download(api: Api, { path, bytes, to, name }: Download, progress: Progress): Promise<void> {
  const part = to === null ? null : `${to}.${name}.part`
  let at = part === null ? 0 : await sizeOf(part)
  if (at > bytes) throw new Error(`${part} is longer than the export; remove it and try again`)
  const sink = part === null ? toStandardOutput() : await toFile(part)
  try {
    await pollUntil(progress, async () => {
      if (at === bytes) return true
      const response = await api.open(path, { headers: { accept: '*/*', ...(at === 0 ? {} : { range: `bytes=${at}-` }) } })
      if (at > 0 && response.status !== 206)
        throw new Error('the deployment does not send a part of the file; remove the .part file and try again')
      for await (const chunk of chunksOf(api, response, progress.signal)) {
        await sink.write(chunk)
        at += chunk.length
        progress.progress(`${at} of ${bytes} bytes`)
      }
      if (at < bytes) throw new ApiFailure('The download broke off.', null)
      return true
    })
  } finally {
    await sink.close()
  }
  if (part !== null && to !== null) {
    checkTarget(to)
    await rename(part, to)
  }
}

/** Body of a response; a premature end is a temporary failure. */
async function* chunksOf(api: Api, response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return
  const reader = response.body.getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw signal.aborted ? signal.reason : new ApiFailure(`${api.address} broke the download off: ${fetchReasonOf(error)}`, null, error)
    })
    if (done) return
    yield value
  }
}

async function toFile(path: string): Promise<Sink> {
  const file = await open(path, 'a', 0o600).catch((error: unknown) => {
    throw new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error })
  })
  return {
    write: async (chunk) => {
      await file.appendFile(chunk).catch((error: unknown) => {
        throw new Error(`${path} cannot be written: ${reasonOf(error)}`, { cause: error })
      })
    },
    close: async () => await file.close(),
  }
}

/** Standard output; writes are awaited. */
export function toStandardOutput(): Sink {
  return {
    write: async (chunk) => await new Promise<void>((done, fail) => process.stdout.write(chunk, (error) => (error ? fail(error) : done()))),
    close: async () => undefined,
  }
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
