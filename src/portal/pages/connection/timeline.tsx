import { Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { TimelineEntry } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Status } from '../../parts/display/status.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { Pager } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { healthOf } from '../../texts/messages/statuses.ts'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { type ConnectionKey, connectionPath } from './paths.ts'
import { useStatusMessage } from './status-message.ts'

const PAGE_SIZE = 50

/** Timeline of the connection, newest first. */
export function Timeline({ connectionKey }: { connectionKey: ConnectionKey }) {
  const texts = useTexts(connectionTexts)
  const [params, setParams] = useSearchParams()
  const query = { PageSize: PAGE_SIZE, PageNumber: params.get('page'), Desc: true }
  const timeline = useRead<Page<TimelineEntry>>(withQuery(`${connectionPath(connectionKey)}/timeline`, query), {
    everyMs: 5_000,
    keep: true,
  })
  return (
    <Answer read={timeline} lines={8}>
      {(page) => (
        <>
          {page.data.length === 0 && <Empty title={texts.noTimeline}>{texts.noTimelineHint}</Empty>}
          <ol className="timeline">
            {page.data.map((entry) => (
              <Entry key={`${entry.at} ${entry.kind} ${entry.subjectId} ${entry.statusCode}`} entry={entry} />
            ))}
          </ol>
          <Pager page={page} onTurn={(next) => setParams({ view: 'timeline', page: String(next) })} />
        </>
      )}
    </Answer>
  )
}

function Entry({ entry }: { entry: TimelineEntry }) {
  const texts = useTexts(connectionTexts)
  const { text, isForeign } = useStatusMessage()(entry)
  const { kind, statusCode } = entry
  return (
    <li data-health={statusCode === null ? undefined : healthOf(statusCode)}>
      <Instant at={entry.at} />
      {kind === 'status' ? <Status code={statusCode} /> : <Text component="span">{texts.events[kind]}</Text>}
      {text !== '' && (
        <Text component="span" size="sm" c="dimmed" {...(isForeign ? { lang: 'en' } : {})}>
          {' '}
          <UserText most={400}>{text}</UserText>
        </Text>
      )}
    </li>
  )
}
