import type { ReplayReport } from '../../store/records/replay-reports.ts'
import { defineCommand, UsageError, type Values } from '../command/command.ts'
import type { ReplayScope } from '../deployment/run-replays.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const CONNECTOR_KEY = /^[a-z][a-z0-9-]*$/

type ScopeOption = 'instance' | 'company' | 'service' | 'connector'

export const replay = defineCommand({
  name: 'replay',
  summary: 'normalizes stored raw pages again and publishes what comes out differently',
  description: [
    'For after a change of a mapping, or to see what one would change. No source is called. Without options it covers all instances.',
    'On the embedded PostgreSQL run it as the user of the service, which may be running. Stopped before its end, the rest stays in the queue for the service.',
  ],
  options: {
    'dry-run': { summary: 'only reports what would change' },
    instance: { value: 'ID', summary: 'replays one instance' },
    company: { value: 'ID', summary: 'replays one company' },
    service: { value: 'ID', summary: 'replays one service' },
    connector: { value: 'KEY', summary: 'replays the connections of one connector, such as xero' },
  },
  examples: [
    { line: 'countinghouse replay --dry-run --connector xero', summary: 'which fields of which records a new mapping would change' },
    { line: 'countinghouse replay --company 1f0c…', summary: 'brings the records of one company to the mapping of this version' },
  ],
  run: async (values, context) => {
    const scope = readReplayScope(values)
    const { asCommand } = await import('../deployment/command-scope.ts')
    const { openReplay } = await import('../deployment/open-replay.ts')
    const { readSettings } = await import('../deployment/settings.ts')
    const { runReplays } = await import('../deployment/run-replays.ts')
    const opened = await openReplay(context)
    try {
      const signal = context.stopSignal()
      const reports = await asCommand(context, opened.deps.database, readSettings(context), 'replay', () =>
        runReplays(opened.deps, scope, signal),
      )
      return {
        document: { isDryRun: scope.isDryRun, instances: reports.map(({ instanceId, report }) => ({ instanceId, ...report })) },
        text: reports.flatMap(({ instanceId, report }) => toLines(instanceId, report, scope.isDryRun)).join('\n'),
        isFailure: reports.some(({ report }) => report.connections.failed > 0),
      }
    } finally {
      await opened.close()
    }
  },
})

/** Throws `UsageError` for an id or a key of another form. */
function readReplayScope(values: Values<ScopeOption | 'dry-run'>): ReplayScope {
  const read = (name: ScopeOption, form: RegExp, wanted: string): string | null => {
    const value = values.text(name)
    if (value !== null && !form.test(value)) throw new UsageError(`--${name}: wanted is ${wanted}`)
    return value?.toLowerCase() ?? null
  }
  return {
    instanceId: read('instance', ID, 'an id'),
    companyId: read('company', ID, 'an id'),
    serviceId: read('service', ID, 'an id'),
    connectorKey: read('connector', CONNECTOR_KEY, 'the key of a connector'),
    isDryRun: values.flag('dry-run'),
  }
}

function toLines(instanceId: string, report: ReplayReport, isDryRun: boolean): string[] {
  const { connections, counts, changes, failures } = report
  const { changed, added, setAside, records, pages } = counts
  return [
    `instance ${instanceId}: ${connections.done} connections replayed, ${connections.skipped} skipped, ${connections.failed} failed`,
    `  ${records} records from ${pages} pages: ${changed} ${isDryRun ? 'would change' : 'changed'}, ${added} mended, ${setAside} set aside`,
    ...(counts.withoutPage > 0 ? [`  ${counts.withoutPage} records without their raw page stay as they are`] : []),
    ...(counts.unreadablePages > 0 ? [`  ${counts.unreadablePages} pages could not be read`] : []),
    ...changes.flatMap(({ entity, field, count, examples }) => [
      `  ${entity}.${field}: ${count}`,
      ...examples.map(({ recordId, before, after }) => `    ${recordId}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`),
    ]),
    ...failures.map(({ connectionId, error }) => `  connection ${connectionId} failed: ${error}`),
  ]
}
