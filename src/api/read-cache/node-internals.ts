import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** Sets the serialized head of a response, ready for `end`. */
export type HeadSetter = (response: ServerResponse, status: number, head: string) => void

/** Undocumented parts of Node that the read path uses. Every such use is in this file. */
export interface NodeInternals {
  /** Null where the running Node stores heads elsewhere: then `writeHead` writes them. */
  setHead: HeadSetter | null
  /**
   * Frees the memory of an exclusively owned buffer at once; where the running Node does not allow it, the garbage
   * collector does so later.
   */
  releaseMemory(bytes: Buffer): void
}

interface Members {
  setHead: HeadSetter
  detach(memory: ArrayBuffer): void
}

const MEMBERS: Members = {
  // Source: https://github.com/nodejs/node/blob/v26.x/lib/_http_outgoing.js
  setHead: (response, status, head) => {
    response.statusCode = status
    if ('_header' in response) response._header = head
  },
  detach: (memory) => void memory.transfer(0),
}

interface InternalsLog {
  warn(fields: object, message: string): void
}

/**
 * Self-test of the running Node: uses each member once and falls back to the documented way, with a log entry, where it
 * fails.
 */
export function checkNodeInternals(log: InternalsLog, members: Partial<Members> = {}): NodeInternals {
  const { setHead, detach } = { ...MEMBERS, ...members }
  const keepsHeads = passes(() => storesHead(setHead))
  const fields = { node: process.version }
  if (!keepsHeads) log.warn(fields, 'this Node keeps response heads elsewhere: known reads take longer')
  // NOTE checked at the first use only: once any buffer is detached, V8 checks every access to a typed array of the process.
  let detaches: boolean | null = null
  const checkDetach = (): boolean => {
    const works = passes(() => isDetachedBy(detach))
    if (!works) log.warn(fields, 'this Node does not give memory back at once: large reads take longer')
    return works
  }
  return {
    setHead: keepsHeads ? setHead : null,
    releaseMemory: ({ buffer }) => {
      detaches ??= checkDetach()
      if (detaches && buffer instanceof ArrayBuffer) detach(buffer)
    },
  }
}

/** An exception of a future Node counts as a failed test. */
function passes(test: () => boolean): boolean {
  try {
    return test()
  } catch {
    return false
  }
}

/**
 * Node counts a response as begun once it has a head. NOTE not tested by sending: a response that once went to a stream of
 * ours halves the rate of 304 responses for the rest of the process (V8's inline caches of `http`). That the bytes are the
 * same is held by test/freshness/node-internals.test.ts.
 */
function storesHead(setHead: HeadSetter): boolean {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  if (response.headersSent) return false
  setHead(response, 200, 'HTTP/1.1 200 OK\r\n\r\n')
  return response.headersSent && response.statusCode === 200
}

function isDetachedBy(detach: (memory: ArrayBuffer) => void): boolean {
  const bytes = Buffer.allocUnsafeSlow(8)
  const { buffer } = bytes
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.length) return false
  detach(buffer)
  return bytes.length === 0
}

/** Header lines; names and values in turn. */
export function toHeadLines(pairs: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  return lines
}
