import { Group, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { useAll, useRead } from '../../api/reads.ts'
import type { Company, ConnectionDetail, ListedConnection } from '../../api/types.ts'
import { Answer, Waiting } from '../../parts/answer.tsx'
import { Grid } from '../../parts/grid.tsx'
import { Empty, Page, Section } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { When, Words } from '../../parts/words.tsx'
import { faultTexts } from '../../texts/faults.ts'
import { inboxTexts } from '../../texts/inbox.ts'
import { useTexts } from '../../texts/language.tsx'
import { healthOf, menderOf } from '../../texts/statuses.ts'
import { Cause } from '../connection/cause.tsx'
import { connectionPath } from '../connection/place.ts'

/** The codes of faults, as a filter. */
const FAULTS = [7, 8, 11, 14, 17, 20, 23].map((code) => `statusCode=${code}`).join('||')
const LIST = { PageSize: 100, OrderBy: 'lastUpdatedOn', Desc: true }
const EVERY_MS = 10_000

/** Only what a person must do something about; below it, what mends itself. */
export function InboxPage() {
  const texts = useTexts(inboxTexts)
  const path = withQuery('/normalized-data/data-connection/statuses', { ...LIST, FilterQuery: FAULTS })
  const faults = useRead<ListPage<ListedConnection>>(path, { everyMs: EVERY_MS })
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Answer read={faults} lines={6}>
        {(page) => <Items connections={page.data} />}
      </Answer>
      {!faults.isPending && <Late />}
    </Page>
  )
}

const companyPath = (companyId: string) => `/normalized-data/companies/${companyId}`

function useCompanyName(companyId: string): string {
  return useRead<Company>(companyPath(companyId)).data?.name ?? ''
}

/**
 * All at once, when each knows its company and whether another connection stands in its place, so that none pushes another aside. An attempt to
 * repair a connection that led nowhere is told of there.
 */
function Items({ connections }: { connections: readonly ListedConnection[] }) {
  const texts = useTexts(inboxTexts)
  const details = useAll<ConnectionDetail>(connections.map((each) => `${connectionPath(each)}/status`))
  const companies = useAll<Company>(connections.map(({ companyId }) => companyPath(companyId)))
  if (details === null || companies === null) return <Waiting lines={6} />
  const current = connections.filter(({ sessionId }) => details.some((detail) => detail?.sessionId === sessionId))
  if (current.length === 0) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return current.map((connection) => <Item key={connection.sessionId} connection={connection} />)
}

function Item({ connection }: { connection: ListedConnection }) {
  const texts = useTexts(inboxTexts)
  const { companyId, serviceId, statusCode, serviceName } = connection
  const place = { companyId, serviceId }
  const companyName = useCompanyName(companyId)
  return (
    <article className="section">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4">
          <Words most={80}>{companyName}</Words> · <Words most={60}>{serviceName}</Words>
        </Title>
        <Open connection={connection} companyName={companyName} />
      </Group>
      <Text size="sm">
        <Status code={statusCode} /> · {menderOf(connection) === 'owner' ? texts.owner : texts.developer} · {texts.since}{' '}
        <When at={connection.lastUpdatedOn} />
      </Text>
      <Cause place={place} connection={connection} companyName={companyName} isStale={false} />
    </article>
  )
}

function Open({ connection, companyName }: { connection: ListedConnection; companyName: string }) {
  const texts = useTexts(inboxTexts)
  const { companyId, serviceId, serviceName } = connection
  return (
    <Link
      href={`/companies/${companyId}/connections/${serviceId}`}
      aria-label={`${texts.open}: ${companyName.slice(0, 80)}, ${serviceName}`}
    >
      {texts.open}
    </Link>
  )
}

/** What waits for a source and goes on by itself: nobody has to act, but whoever wonders finds the cause. */
function Late() {
  const texts = useTexts(inboxTexts)
  const { said } = useTexts(faultTexts)
  const path = withQuery('/normalized-data/data-connection/statuses', { ...LIST, FilterQuery: 'troubleCode!=null' })
  const late = useRead<ListPage<ListedConnection>>(path, { everyMs: EVERY_MS })
  const rows = (late.data?.data ?? []).filter(({ statusCode }) => ['good', 'busy'].includes(healthOf(statusCode)))
  if (rows.length === 0) return null
  return (
    <Section title={texts.waiting}>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.waitingLead}
      </Text>
      <Grid
        label={texts.waiting}
        rows={rows}
        keyOf={({ sessionId }) => sessionId}
        empty={{ title: texts.none }}
        columns={[
          { name: texts.company, cell: (connection) => <Named connection={connection} /> },
          { name: texts.cause, cell: ({ trouble }) => trouble && <span className="wrap">{said[trouble.code].cause}</span> },
          { name: texts.nextTry, cell: ({ trouble }) => <When at={trouble?.nextAttemptOn} /> },
        ]}
      />
    </Section>
  )
}

function Named({ connection }: { connection: ListedConnection }) {
  const { companyId, serviceId, serviceName } = connection
  const name = useCompanyName(companyId)
  return (
    <Link href={`/companies/${companyId}/connections/${serviceId}`}>
      <Words most={60}>{name}</Words> · <Words most={40}>{serviceName}</Words>
    </Link>
  )
}
