import { defineCommand, UsageError } from '../command/command.ts'

export const restore = defineCommand({
  name: 'restore',
  summary: 'restores a backup into an empty DATA_DIR and an empty database; the copy is paused',
  description: [
    'Without DATABASE_URL the embedded PostgreSQL of DATA_DIR is created and filled; with it, an empty database of that server. The whole file, its keys and version are checked before anything is written. A backup of an earlier version is migrated at the first start.',
    'The restored copy is paused: it answers reads, but calls no source and sends nothing until countinghouse resume. Resume it only when the original no longer runs: both hold the same refresh tokens, and the first that uses one takes the connection from the other.',
    'A restore that was interrupted is completed by running it again.',
  ],
  options: { from: { value: 'FILE', summary: 'the backup' } },
  examples: [
    { line: 'DATA_DIR=/srv/countinghouse countinghouse restore --from /backups/monday.backup', summary: 'into the embedded PostgreSQL' },
    {
      line: 'DATABASE_URL=postgres://… DATA_DIR=/srv/countinghouse countinghouse restore --from /backups/monday.backup',
      summary: 'into an empty database of an external server',
    },
  ],
  run: async (values, context) => {
    const from = values.text('from')
    if (from === null) throw new UsageError('--from is missing: the backup to restore')
    const [{ restoreBackup }, { readPassphrase }, { readSettings }, { toKeysElsewhere }] = await Promise.all([
      import('../../backup/restore.ts'),
      import('../deployment/passphrase.ts'),
      import('../deployment/settings.ts'),
      import('../../process/settings/keys-setting.ts'),
    ])
    const config = readSettings(context)
    const source = { path: from, passphrase: readPassphrase(config.backupPassphrase) }
    const startedMs = performance.now()
    const restored = await restoreBackup(source, {
      dataDir: config.dataDir,
      databaseUrl: config.databaseDirectUrl ?? config.databaseUrl,
      keysElsewhere: toKeysElsewhere(config.keys)?.read() ?? null,
    })
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    const rows = Object.values(restored.tables).reduce((sum, table) => sum + table.rows, 0)
    return {
      document: { ...restored, seconds },
      text: [
        `${Object.keys(restored.tables).length} tables, ${rows} rows, as of ${restored.takenAt}, in ${seconds} s.`,
        ...restored.leftOut.map((name) => `warning: table ${name} is not one of Countinghouse's and was left out`),
        'The copy is paused. When the original no longer runs: countinghouse resume',
      ].join('\n'),
    }
  },
})
