import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../store/db/database.ts'
import { findBackupAge } from '../store/snapshot/last-backup.ts'

/** Gauge of the last backup; without a value until `countinghouse backup` has written one. */
export function registerBackupMetric(metrics: Registry, database: Database): void {
  new Gauge({
    name: 'countinghouse_last_backup_age_seconds',
    help: 'Age of the last complete backup of the command countinghouse backup; missing until there has been one',
    registers: [metrics],
    async collect() {
      this.reset()
      const seconds = await findBackupAge(database)
      if (seconds !== null) this.set(seconds)
    },
  })
}
