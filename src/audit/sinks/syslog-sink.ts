import { createSocket } from 'node:dgram'
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AuditSink, type AuditSinkAddress, type SinkEntry, toSinkLine } from './sink.ts'

type SyslogAddress = Extract<AuditSinkAddress, { kind: 'syslog' }>

const TIMEOUT_MS = 10_000
/** Facility 13, log audit. */
const AUDIT = 13 * 8
const WARNING = 4
const NOTICE = 5
const BAD = /failed|reuse-detected|refused/

/**
 * Syslog sink. Over TCP and TLS a batch is a connection: we end it, and the entries count as taken when the server, which
 * has then read to the end, ends its side without an error; otherwise they are sent again. UDP acknowledges nothing.
 * Source: https://www.rfc-editor.org/rfc/rfc5424, https://www.rfc-editor.org/rfc/rfc5425, https://www.rfc-editor.org/rfc/rfc6587#section-3.4.1
 */
export function createSyslogSink(address: SyslogAddress, hostname: string): AuditSink {
  const format = (entry: SinkEntry) => Buffer.from(toSyslogMessage(entry, hostname))
  return {
    write: (entries) => {
      const messages = entries.map(format)
      return address.transport === 'udp' ? sendDatagrams(address, messages) : sendStream(address, messages)
    },
  }
}

/** Message of RFC 5424 without its frame: ASCII, the entry as JSON. */
function toSyslogMessage(entry: SinkEntry, hostname: string): string {
  const { action } = entry.entry
  const priority = AUDIT + (BAD.test(action) ? WARNING : NOTICE)
  const name = (text: string, most: number) => text.replace(/[^\x21-\x7e]/g, '').slice(0, most) || '-'
  return `<${priority}>1 ${entry.at.toISOString()} ${name(hostname, 255)} countinghouse - ${name(action, 32)} - ${toSinkLine(entry)}`
}

function sendStream({ transport, host, port }: SyslogAddress, messages: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket =
      transport === 'tls' ? connectTls({ host, port, ...(isName(host) ? { servername: host } : {}) }) : connectTcp({ host, port })
    let hasAcknowledged = false
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the syslog server did not answer in time')))
    socket.on('error', reject)
    socket.on('end', () => {
      hasAcknowledged = socket.writableEnded
    })
    socket.on('close', () => {
      if (hasAcknowledged) resolve()
      else reject(new Error('the syslog server ended the connection'))
    })
    socket.resume()
    socket.once(transport === 'tls' ? 'secureConnect' : 'connect', () => {
      // Octet counting.
      for (const message of messages) socket.write(Buffer.concat([Buffer.from(`${message.length} `), message]))
      socket.end()
    })
  })
}

async function sendDatagrams({ host, port }: SyslogAddress, messages: readonly Buffer[]): Promise<void> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    for (const message of messages)
      await new Promise<void>((resolve, reject) => socket.send(message, port, host, (error) => (error ? reject(error) : resolve())))
  } finally {
    socket.close()
  }
}

/** TLS names no addresses. */
function isName(host: string): boolean {
  return !isIPv6(host) && !/^[\d.]+$/.test(host)
}
