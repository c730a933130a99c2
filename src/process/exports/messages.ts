import type { Outcome } from '../../jobs/worker.ts'
import type { Job } from '../../store/jobs/jobs.ts'
import type { FreshSource } from '../settings/secret-source.ts'

/** What the process of exports needs to know. NOTE secrets: sent through its channel, because other users can list arguments. */
export interface ExportSettings {
  databaseUrl: string
  /** Address for sessions behind a pooler in transaction mode; null: there is no such pooler. */
  databaseDirectUrl: string | null
  /** Address of replicas; null: there are none. */
  databaseReadUrl: string | null
  maxStalenessMs: number
  databasePassword: FreshSource | null
  isDistributed: boolean
  /** Whether this deployment runs the database itself, on this machine, so that it may change the priority of its processes. */
  isEmbedded: boolean
  dataDir: string
  /** Keys that are kept elsewhere than in `dataDir`; null: they are there. */
  keys: { kind: 'text'; text: string } | FreshSource | null
  /** Records per piece; default: depends on the format. */
  pieceRecords?: number
}

export type ToExportProcess =
  | { ask: 'open'; settings: ExportSettings }
  | { ask: 'run'; run: number; job: Job }
  /** The run ends at its next safe point. */
  | { ask: 'stop'; run: number }

export type FromExportProcess =
  | { told: 'advanced'; run: number; position: number }
  | { told: 'ended'; run: number; outcome: Outcome }
  | { told: 'failed'; run: number; error: Error }
  | { told: 'logged'; level: 'info' | 'warn' | 'error'; fields: Record<string, unknown>; message: string }
