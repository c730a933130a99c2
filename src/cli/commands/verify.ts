import type { ComparedTable } from '../../backup/verify/compare-tables.ts'
import type { OpenedColumn } from '../../backup/verify/open-sealed.ts'
import type { ReplaySample } from '../../backup/verify/replay-sample.ts'
import type { AuditReport } from '../../store/access/audit-verification.ts'
import { defineCommand } from '../command/command.ts'

const REPLAYED_RECORDS = 1_000

export const verify = defineCommand({
  name: 'verify',
  summary: 'opens every sealed value, checks the audit trail, replays 1,000 records, and compares all tables with a backup',
  description: [
    'Changes nothing and may run beside the service. Every sealed value is opened with the keys, every entry of the audit trail is compared with its hash, and stored pages of random connections are normalized again until 1,000 records are compared with the published bytes. A newer mapping makes records differ, too: countinghouse replay --dry-run says in which fields.',
    'With --from, the rows of each table are compared with those that the backup recorded. After a restore all are equal; a deployment that works on differs in what has changed since. The exit code is 1 when anything differs or cannot be read.',
  ],
  options: { from: { value: 'FILE', summary: 'a backup to compare the tables with' } },
  examples: [
    { line: 'countinghouse verify', summary: 'whether this deployment can be read with its keys' },
    { line: 'countinghouse verify --from /backups/monday.backup', summary: 'after a restore of that backup' },
  ],
  run: async (values, context) => {
    const [{ compareTables }, { openSealedValues }, { replaySample }, { verifyAudits }, { openVerification }] = await Promise.all([
      import('../../backup/verify/compare-tables.ts'),
      import('../../backup/verify/open-sealed.ts'),
      import('../../backup/verify/replay-sample.ts'),
      import('../../store/access/audit-verification.ts'),
      import('../deployment/open-verification.ts'),
    ])
    const signal = context.stopSignal()
    const opened = await openVerification(context, values.text('from'))
    try {
      const tables = opened.recorded && (await compareTables(opened.url, opened.recorded, signal))
      const sealed = await openSealedValues(opened, signal)
      const audit = await verifyAudits(opened.database, opened.auditKeys)
      const replayed = await replaySample(opened, REPLAYED_RECORDS, signal)
      const isFailure =
        (tables?.some((table) => !table.isEqual) ?? false) ||
        sealed.some(({ unreadable }) => unreadable > 0) ||
        audit.faults.length > 0 ||
        replayed.different + replayed.unreadablePages > 0
      return {
        document: { isSound: !isFailure, tables, sealed, audit, replayed },
        text: toText({ tables, sealed, audit, replayed }),
        isFailure,
      }
    } finally {
      await opened.close()
    }
  },
})

interface Verified {
  tables: ComparedTable[] | null
  sealed: OpenedColumn[]
  audit: AuditReport
  replayed: ReplaySample
}

function toText({ tables, sealed, audit, replayed }: Verified): string {
  const different = tables?.filter((table) => !table.isEqual) ?? []
  const opened = sealed.reduce((sum, column) => sum + column.opened, 0)
  const unreadable = sealed.filter((column) => column.unreadable > 0)
  return [
    ...(tables ? [`tables: ${tables.length - different.length} of ${tables.length} are equal to the backup`] : []),
    ...different.map(({ name, inBackup, inDeployment }) => `  ${name}: ${rowsOf(inBackup)} in the backup, ${rowsOf(inDeployment)} here`),
    `sealed values: ${opened} opened${unreadable.length > 0 ? '' : ', all'}`,
    ...unreadable.map(({ table, column, unreadable: count, reason }) => `  ${table}.${column}: ${count} cannot be opened (${reason})`),
    `audit trail: ${audit.entries} entries in ${audit.chains} chains${audit.faults.length > 0 ? '' : ', all genuine'}`,
    ...audit.faults.map(({ instanceId, position }) => `  ${instanceId ?? 'the deployment'}: entry ${position} was changed or removed`),
    `replay: ${replayed.identical} of ${replayed.identical + replayed.different} records have the published bytes`,
    ...replayed.examples.map((id) => `  record ${id} differs`),
    ...(replayed.unreadablePages > 0 ? [`  ${replayed.unreadablePages} stored pages could not be read`] : []),
  ].join('\n')
}

function rowsOf(digest: { rows: number } | null): string {
  return digest === null ? 'no table' : `${digest.rows} rows`
}
