import { createFileSink } from './file-sink.ts'
import type { AuditSink, AuditSinkAddress } from './sink.ts'
import { createSyslogSink } from './syslog-sink.ts'

/** `hostname`: what a syslog message says where it comes from. */
export function createAuditSink(address: AuditSinkAddress, hostname: string): AuditSink {
  return address.kind === 'file' ? createFileSink(address.path) : createSyslogSink(address, hostname)
}
