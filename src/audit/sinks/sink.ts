import type { RecordedEntry } from '../../store/access/audit.ts'

/** Where to, as AUDIT_SINK says. */
export type AuditSinkAddress =
  | { kind: 'file'; path: string }
  | { kind: 'syslog'; transport: 'tls' | 'tcp' | 'udp'; host: string; port: number }

/** Entry with the chain that it belongs to. */
export interface SinkEntry extends RecordedEntry {
  /** Null: the deployment’s own chain. */
  instanceId: string | null
}

export interface AuditSink {
  /** Resolves when the entries were taken; throws when it is not known that all were. */
  write(entries: readonly SinkEntry[]): Promise<void>
}

/** One line of JSON, in ASCII. */
export function toSinkLine({ instanceId, position, at, entry, hash }: SinkEntry): string {
  const text = JSON.stringify({ instanceId, position, recordedOn: at.toISOString(), ...entry, hash })
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
