import { Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { Run } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import type { Health } from '../../texts/messages/statuses.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { type ConnectionKey, connectionPath } from './paths.ts'
import { useReason, useRunFault } from './status-message.ts'

const HEALTH: Record<Run['state'], Health> = { running: 'busy', published: 'good', unchanged: 'good', failed: 'bad', abandoned: 'bad' }

export function Runs({ connectionKey }: { connectionKey: ConnectionKey }) {
  const texts = useTexts(connectionTexts)
  const formats = useFormats()
  const reasonOf = useReason()
  const [params, setParams] = useSearchParams()
  const query = { PageSize: 25, PageNumber: params.get('page'), Desc: true }
  const runs = useRead<Page<Run>>(withQuery(`${connectionPath(connectionKey)}/runs`, query), { everyMs: 5_000, keep: true })
  return (
    <Answer read={runs} lines={6}>
      {(page) => (
        <>
          <Grid
            label={texts.tabs.runs}
            rows={page.data}
            keyOf={({ id }) => id}
            empty={{ title: texts.noRuns, hint: texts.noRunsHint }}
            columns={[
              { name: texts.began, cell: ({ startedOn }) => <Instant at={startedOn} /> },
              { name: texts.state, cell: ({ state }) => <Mark health={HEALTH[state]}>{texts.states[state]}</Mark> },
              { name: texts.reason, cell: ({ reason }) => <span className="wrap">{reasonOf(reason)}</span> },
              { name: texts.took, isNumber: true, cell: ({ durationMs }) => (durationMs === null ? '…' : formats.duration(durationMs)) },
              { name: texts.pages, isNumber: true, cell: ({ counts }) => formats.number(counts.pages) },
              { name: texts.records, isNumber: true, cell: ({ counts }) => formats.number(counts.records) },
              { name: texts.changed, isNumber: true, cell: ({ counts }) => formats.number(counts.changed) },
              {
                name: texts.warnings,
                cell: (run) => (
                  <div className="wrap">
                    <Warnings run={run} />
                  </div>
                ),
              },
            ]}
          />
          <Pager page={page} onTurn={(next) => setParams({ view: 'runs', page: String(next) })} />
        </>
      )}
    </Answer>
  )
}

function Warnings({ run }: { run: Run }) {
  const texts = useTexts(connectionTexts)
  const fault = useRunFault()(run)
  return (
    <>
      {run.warnings
        .filter(({ code }) => code !== 'failed')
        .map(({ code, count }) => (
          <div key={code}>{texts.warningNames[code](count)}</div>
        ))}
      {fault !== null && <div>{fault}</div>}
      {run.error && (
        <Text size="xs" c="dimmed" lang="en">
          <UserText most={300}>{run.error}</UserText>
        </Text>
      )}
    </>
  )
}
