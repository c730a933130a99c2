import { defineCommand } from '../command/command.ts'

export const resume = defineCommand({
  name: 'resume',
  summary: 'ends the pause of a restored or paused deployment',
  description: [
    'All processes begin work within a second; what was due is done. For a restored copy: only when the original no longer runs. Sources rotate refresh tokens: once one of the two has used a token, the source refuses the other, and its owner has to authorize again.',
  ],
  options: {},
  examples: [{ line: 'countinghouse resume', summary: 'after a restore, when the original is stopped for good' }],
  run: async (_values, context) => {
    const [{ recordChange }, { inTransaction }, { resumeDeployment }, { asCommand }, { withDatabase }, { readSettings }] =
      await Promise.all([
        import('../../audit/record.ts'),
        import('../../store/db/database.ts'),
        import('../../store/db/deployment-pause.ts'),
        import('../deployment/command-scope.ts'),
        import('../deployment/open-database.ts'),
        import('../deployment/settings.ts'),
      ])
    const config = readSettings(context)
    return await withDatabase(context, config, async ({ database }) => {
      const resumeNow = () =>
        inTransaction(database, async (db) => {
          const before = await resumeDeployment(db)
          // Until now the copy equals its backup, which `verify --from` compares.
          if (before?.reason === 'restored') {
            const details = { backupId: before.backupId ?? '', restoredAt: before.pausedAt.toISOString() }
            await recordChange(db, { instanceId: null, action: 'deployment.restored', subject: null, details })
          }
          if (before) await recordChange(db, { instanceId: null, action: 'deployment.resumed', subject: null, before })
          return before
        })
      const ended = await asCommand(context, database, config, 'resume', resumeNow)
      return {
        document: { paused: false, ended },
        text: ended ? `Resumed; it was paused since ${ended.pausedAt.toISOString()} (${ended.reason}).` : 'It was not paused.',
      }
    })
  },
})
