import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AuditSinkAddress } from '../../audit/sinks/sink.ts'
import { InvalidSetting } from './setting-values.ts'

const TRANSPORTS = { 'syslog+tls:': 'tls', 'syslog+tcp:': 'tcp', 'syslog+udp:': 'udp' } as const
/** Source: https://www.rfc-editor.org/rfc/rfc5425#section-4.1, https://www.rfc-editor.org/rfc/rfc6587#section-3.2 */
const PORTS = { tls: 6514, tcp: 601, udp: 514 } as const

/** Throws `InvalidSetting`. */
export function toAuditSink(text: string): AuditSinkAddress {
  const url = URL.parse(text)
  const transport = Object.entries(TRANSPORTS).find(([scheme]) => scheme === url?.protocol)?.[1]
  if (url?.protocol === 'file:' && url.host === '' && !text.endsWith('/')) {
    const path = fileURLToPath(url)
    if (isAbsolute(path) && !path.includes('\0')) return { kind: 'file', path }
  }
  const isBare =
    url !== null && url.username === '' && url.password === '' && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (transport === undefined || !isBare || url.hostname === '')
    throw new InvalidSetting('syslog+tls://HOST:PORT, syslog+tcp://HOST:PORT, syslog+udp://HOST:PORT or file:///PATH')
  return { kind: 'syslog', transport, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || PORTS[transport] }
}
