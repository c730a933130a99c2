import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
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
  const keepsHeads = passes(() => PROBES.every((probe) => keepsHead(probe, setHead)))
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

interface Probe {
  status: number
  headers: string[]
  body: Buffer | string | undefined
}

/** Headers that Node adds unless they are set. */
const ALWAYS = ['date', new Date(0).toUTCString(), 'connection', 'keep-alive', 'keep-alive', 'timeout=1']
/** One response of each kind that reads get. */
const PROBES: Probe[] = [
  { status: 200, headers: [...ALWAYS, 'content-length', '2'], body: 'é!' },
  { status: 200, headers: [...ALWAYS, 'content-length', '2'], body: Buffer.from([0xe9, 0x21]) },
  { status: 304, headers: ALWAYS, body: undefined },
]

function keepsHead(probe: Probe, setHead: HeadSetter): boolean {
  const sent = sentBy(probe, setHead)
  return sent.startsWith(`HTTP/1.1 ${probe.status} `) && sent === sentBy(probe, null)
}

/** Bytes that Node sends for a response whose head is set, or written where it cannot be set. */
function sentBy({ status, headers, body }: Probe, setHead: HeadSetter | null): string {
  const socket = new ProbeSocket()
  const request = new IncomingMessage(socket)
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  if (setHead) setHead(response, status, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${toHeadLines(headers)}\r\n`)
  else response.writeHead(status, headers)
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
  response.detachSocket(socket)
  socket.destroy()
  return socket.sent
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

/** Connection that records what is sent, without the network. */
class ProbeSocket extends Socket {
  sent = ''

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.#keep(chunk, encoding)
    done()
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    for (const { chunk, encoding } of chunks) this.#keep(chunk, encoding)
    done()
  }

  #keep(chunk: Buffer | string, encoding: BufferEncoding): void {
    this.sent += (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk).toString('latin1')
  }
}
