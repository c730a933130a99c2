import { defineCommand } from '../command/command.ts'

export const pause = defineCommand({
  name: 'pause',
  summary: 'pauses the deployment: it answers reads, but calls no source and sends nothing',
  description: [
    'All processes stop within a second: no syncs, no token refreshes, no webhooks, no mails. Jobs that run return at their next safe point. Changes through the API and the pages for owners answer 503. Nothing is lost: what is due waits for countinghouse resume.',
  ],
  options: {},
  examples: [{ line: 'countinghouse pause', summary: 'before moving the deployment to another machine' }],
  run: async (_values, context) => {
    const [{ recordChange }, { inTransaction }, { findPause, pauseDeployment }, { asCommand }, { withDatabase }, { readSettings }] =
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
      const before = await findPause(database)
      const pauseNow = () =>
        inTransaction(database, async (db) => {
          await pauseDeployment(db, { reason: 'requested', backupId: null })
          await recordChange(db, { instanceId: null, action: 'deployment.paused', subject: null, after: { reason: 'requested' } })
        })
      if (!before) await asCommand(context, database, config, 'pause', pauseNow)
      const found = await findPause(database)
      return {
        document: { paused: true, ...found },
        text: before
          ? `Paused since ${before.pausedAt.toISOString()} already (${before.reason}).`
          : 'Paused. countinghouse resume ends the pause.',
      }
    })
  },
})
