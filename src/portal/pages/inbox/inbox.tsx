import { Group, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { Company, ConnectionDetail, ListedConnection } from '../../api/types.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { When, Words } from '../../parts/words.tsx'
import { inboxTexts } from '../../texts/inbox.ts'
import { useTexts } from '../../texts/language.tsx'
import { mender } from '../../texts/statuses.ts'
import { newestOfEach } from '../companies/companies.tsx'
import { Cause } from '../connection/cause.tsx'
import { connectionPath } from '../connection/place.ts'

/** The codes of faults, as a filter. */
const FAULTS = [7, 8, 11, 14, 17, 20, 23].map((code) => `statusCode=${code}`).join('||')

/** Only what a person must do something about. */
export function InboxPage() {
  const texts = useTexts(inboxTexts)
  const query = { PageSize: 100, OrderBy: 'lastUpdatedOn', Desc: true, FilterQuery: FAULTS }
  const faults = useRead<ListPage<ListedConnection>>(withQuery('/normalized-data/data-connection/statuses', query), { everyMs: 10_000 })
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Answer read={faults} lines={6}>
        {(page) => {
          const waiting = groupByCompany(page.data)
          return waiting.length === 0 ? (
            <Empty title={texts.none}>{texts.noneHint}</Empty>
          ) : (
            waiting.map((connection) => <Item key={connection.sessionId} connection={connection} />)
          )
        }}
      </Answer>
    </Page>
  )
}

function groupByCompany(connections: readonly ListedConnection[]): ListedConnection[] {
  return [...Map.groupBy(connections, ({ companyId }) => companyId).values()].flatMap(newestOfEach)
}

function Item({ connection }: { connection: ListedConnection }) {
  const texts = useTexts(inboxTexts)
  const { companyId, serviceId, statusCode, serviceName } = connection
  const place = { companyId, serviceId }
  const company = useRead<Company>(`/normalized-data/companies/${companyId}`)
  const detail = useRead<ConnectionDetail>(`${connectionPath(place)}/status`)
  // A newer connection to the same service has taken its place.
  if (detail.data && detail.data.sessionId !== connection.sessionId) return null
  const companyName = company.data?.name ?? ''
  return (
    <article className="section">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4">
          <Words most={80}>{companyName}</Words> · <Words most={60}>{serviceName}</Words>
        </Title>
        <Link
          href={`/companies/${companyId}/connections/${serviceId}`}
          aria-label={`${texts.open}: ${companyName.slice(0, 80)}, ${serviceName}`}
        >
          {texts.open}
        </Link>
      </Group>
      <Text size="sm">
        <Status code={statusCode} /> · {mender(statusCode) === 'owner' ? texts.owner : texts.developer} · {texts.since}{' '}
        <When at={connection.lastUpdatedOn} />
      </Text>
      <Cause place={place} connection={detail.data ?? { statusCode, serviceName, fault: null }} companyName={companyName} isStale={false} />
    </article>
  )
}
