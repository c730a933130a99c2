import { defineCommand } from '../command/command.ts'

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'migrates the database to this version, and nothing else',
  description: [
    'Runs pending migrations and installs newer SQL functions, as a start does. For an upgrade in which the database is migrated before the first process of the new version starts. Safe while processes of the previous version work. A database whose schema this version cannot work with is refused.',
  ],
  options: { 'dry-run': { summary: 'lists what is pending, and changes nothing' } },
  examples: [
    { line: 'countinghouse migrate --dry-run', summary: 'what an upgrade would run' },
    { line: 'countinghouse migrate', summary: 'runs it' },
  ],
  run: async (values, context) => {
    const [
      { listPendingMigrations, migrate: runMigrations },
      { listPendingFunctions, replaceFunctions },
      { distributeNew },
      { recordDone },
      { withDatabase },
      { readSettings },
    ] = await Promise.all([
      import('../../store/db/migrate.ts'),
      import('../../store/db/functions.ts'),
      import('../../store/db/cluster/distribute.ts'),
      import('../deployment/command-scope.ts'),
      import('../deployment/open-database.ts'),
      import('../deployment/settings.ts'),
    ])
    const isDryRun = values.flag('dry-run')
    const config = readSettings(context)
    return await withDatabase(context, config, async ({ database }) => {
      const migrations = isDryRun ? await listPendingMigrations(database) : await runMigrations(database)
      const functions = isDryRun ? await listPendingFunctions(database) : await replaceFunctions(database)
      if (!isDryRun) await distributeNew(database.sessions ?? database)
      const details = { migrations: migrations.length, functions: functions.length, last: migrations.at(-1) ?? '' }
      const isDone = !isDryRun && migrations.length + functions.length > 0
      if (isDone) await recordDone(context, database, config, 'migrate', { action: 'deployment.migrated', details })
      const verb = isDryRun ? 'pending' : 'done'
      return {
        document: { isDryRun, migrations, functions },
        text:
          migrations.length + functions.length === 0
            ? 'The database is up to date.'
            : [...migrations.map((name) => `migration ${name}: ${verb}`), ...functions.map((name) => `function ${name}: ${verb}`)].join(
                '\n',
              ),
      }
    })
  },
})
