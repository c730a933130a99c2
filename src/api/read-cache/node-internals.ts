import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'

/** Gives a response the finished text of its head, ready for `end`. */
export type HeadSetter = (response: ServerResponse, status: number, head: string) => void

/** What the read path takes from Node beside its documented interface. Every such use lies in this file. */
export interface NodeInternals {
  /** Null where the running Node keeps heads elsewhere: then `writeHead` writes them. */
  setHead: HeadSetter | null
  /** Gives back at once the memory of bytes that have it for themselves; where the running Node keeps it, the garbage collector does so later. */
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

/** Self-test of the running Node: uses each member once and takes the documented way, told to the log, where it does not do what it should. */
export function checkNodeInternals(log: InternalsLog, members: Partial<Members> = {}): NodeInternals {
  const { setHead, detach } = { ...MEMBERS, ...members }
  const keepsHeads = passes(() => PROBES.every((probe) => keepsHead(probe, setHead)))
  const detaches = passes(() => isDetachedBy(detach))
  const fields = { node: process.version }
  if (!keepsHeads) log.warn(fields, 'this Node keeps response heads elsewhere: known reads take longer')
  if (!detaches) log.warn(fields, 'this Node does not give memory back at once: large reads take longer')
  return {
    setHead: keepsHeads ? setHead : null,
    releaseMemory: detaches ? ({ buffer }) => void (buffer instanceof ArrayBuffer && detach(buffer)) : () => undefined,
  }
}

/** Whatever a Node to come throws here is an answer, too. */
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

/** Lines that Node adds unless they are given. */
const ALWAYS = ['date', new Date(0).toUTCString(), 'connection', 'keep-alive', 'keep-alive', 'timeout=1']
/** One answer of each kind that reads get. */
const PROBES: Probe[] = [
  { status: 200, headers: [...ALWAYS, 'content-length', '2'], body: 'é!' },
  { status: 200, headers: [...ALWAYS, 'content-length', '2'], body: Buffer.from([0xe9, 0x21]) },
  { status: 304, headers: ALWAYS, body: undefined },
]

function keepsHead(probe: Probe, setHead: HeadSetter): boolean {
  const sent = sentBy(probe, setHead)
  return sent.startsWith(`HTTP/1.1 ${probe.status} `) && sent === sentBy(probe, null)
}

/** The bytes that Node sends for an answer whose head is set, or written where there is nothing to set it with. */
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

/** Lines of a head; names and values in turn. */
export function toHeadLines(pairs: readonly string[]): string {
  let lines = ''
  for (let at = 0; at < pairs.length; at += 2) lines += `${pairs[at]}: ${pairs[at + 1]}\r\n`
  return lines
}

/** A connection that keeps what is sent, without the network. */
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
