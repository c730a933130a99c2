import { defineCommand, UsageError } from '../command/command.ts'

export const backup = defineCommand({
  name: 'backup',
  summary: 'writes one encrypted file of the database, the keys and sources.json, while the service works',
  description: [
    'The file holds everything at one point in time. It is encrypted with the passphrase of BACKUP_PASSPHRASE_FILE, BACKUP_PASSPHRASE_COMMAND or BACKUP_PASSPHRASE; without that passphrase nobody can read it, so keep it in another place than the backups. Settings (environment variables) and BANK_PROFILES_DIR are not in it.',
    'On the embedded PostgreSQL run it as the user of the service. An incomplete file is removed.',
    'With --into the file is named by its time. With --keep older files of that name are deleted once the new one is complete; other files are not touched.',
  ],
  options: {
    to: { value: 'FILE', summary: 'the file to write; it must not exist' },
    into: { value: 'FOLDER', summary: 'the folder of a file that is named by its time, instead of --to' },
    keep: { value: 'N', summary: 'how many files of --into are kept' },
  },
  examples: [
    { line: 'countinghouse backup --to /backups/countinghouse-$(date +%F).backup', summary: 'a backup of today' },
    { line: 'countinghouse backup --into /backups --keep 14', summary: 'each night: the last 14 are kept' },
    {
      line: 'BACKUP_PASSPHRASE_FILE=/etc/countinghouse/passphrase countinghouse backup --to /backups/monday.backup',
      summary: 'with the passphrase from a file',
    },
  ],
  run: async (values, context) => {
    const [folder, keep] = [values.text('into'), readKeep(values.text('keep'))]
    const file = values.text('to')
    if (file === null && folder === null) throw new UsageError('--to is missing: the file to write')
    if (file !== null && folder !== null) throw new UsageError('--to and --into exclude each other')
    if (keep !== null && folder === null) throw new UsageError('--keep needs --into: which files are older')
    const [
      { writeBackup },
      { deleteOlder, pathIn },
      { recordDone, recordTaken },
      { withDatabase },
      { readPassphrase },
      { readSettings },
      { RELEASE },
      { formatBytes },
      { toKeysElsewhere },
    ] = await Promise.all([
      import('../../backup/write-backup.ts'),
      import('../deployment/backup-folder.ts'),
      import('../deployment/command-scope.ts'),
      import('../deployment/open-database.ts'),
      import('../deployment/passphrase.ts'),
      import('../deployment/settings.ts'),
      import('../../model/release.ts'),
      import('../../model/texts/bytes.ts'),
      import('../../process/settings/keys-setting.ts'),
    ])
    const config = readSettings(context)
    const passphrase = readPassphrase(config.backupPassphrase)
    return await withDatabase(context, config, async ({ database, url }) => {
      const startedMs = performance.now()
      const to = file ?? pathIn(folder ?? '', new Date())
      const source = { databaseUrl: url, dataDir: config.dataDir, keysElsewhere: toKeysElsewhere(config.keys), version: RELEASE }
      const written = await writeBackup(source, { path: to, passphrase, signal: context.stopSignal() })
      const seconds = Math.round((performance.now() - startedMs) / 100) / 10
      const rows = Object.values(written.tables).reduce((sum, table) => sum + table.rows, 0)
      const details = { takenAt: written.takenAt.toISOString(), rows, fileBytes: written.fileBytes }
      await recordDone(context, database, config, 'backup', { action: 'deployment.backed-up', details })
      await recordTaken(context, database, written)
      const deleted = folder === null || keep === null ? [] : await deleteOlder(folder, keep)
      const older = deleted.length === 0 ? '' : `\ndeleted: ${deleted.join(', ')}`
      return {
        document: { ...written, file: to, seconds, ...(keep === null ? {} : { deleted }) },
        text: `${to}: ${Object.keys(written.tables).length} tables, ${rows} rows, ${formatBytes(written.fileBytes)}, as of ${written.takenAt.toISOString()}, in ${seconds} s${older}`,
      }
    })
  },
})

function readKeep(text: string | null): number | null {
  if (text === null) return null
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--keep: ${JSON.stringify(text)} is not a whole number from 1 to 9999`)
  return Number(text)
}
