import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import type { Company, ListedConnection } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer, Failure, isEmptyAnswer, Waiting } from '../../parts/answers/answer.tsx'
import { Status } from '../../parts/display/status.tsx'
import { ServiceName, UserText, When } from '../../parts/display/user-text.tsx'
import { Empty, Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useServiceName, useTexts } from '../../texts/language/language.tsx'
import { faultTexts } from '../../texts/messages/faults.ts'
import { BAD, IDLE, responsibleParty } from '../../texts/messages/statuses.ts'
import { inboxTexts } from '../../texts/pages/inbox.ts'
import { Cause } from '../connection/cause.tsx'

const STATUSES = '/normalized-data/data-connection/statuses'

interface Sought {
  filter: string
  /** The part of the filter that the API finds among any number of connections. */
  indexed: string
  /** The rest of it. */
  isMeant(connection: ListedConnection): boolean
}

/** Connections with a fault. A failed attempt to repair a connection is reported at that connection. */
const FAULTS: Sought = {
  filter: BAD.map((code) => `statusCode=${code}&&isCurrent=true`).join('||'),
  indexed: BAD.map((code) => `statusCode=${code}`).join('||'),
  isMeant: ({ isCurrent }) => isCurrent,
}
const NOT_LATE = [...BAD, ...IDLE]
/** Connections that are late, without a fault and not ended. */
const LATE: Sought = {
  filter: ['troubleCode!=null', ...NOT_LATE.map((code) => `statusCode!=${code}`)].join('&&'),
  indexed: 'troubleCode!=null',
  isMeant: ({ statusCode }) => !NOT_LATE.includes(statusCode),
}
const PAGE_SIZE = 25
const EVERY_MS = 10_000

/** Connections that need a person; below them those that recover by themselves. */
export function InboxPage() {
  const texts = useTexts(inboxTexts)
  const { read, ...list } = useConnections(FAULTS, 'page')
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Answer read={read} lines={6}>
        {(page) => (page.total === 0 ? <Empty title={texts.none}>{texts.noneHint}</Empty> : <Faults page={page} {...list} />)}
      </Answer>
      {!read.isPending && <Late />}
    </Page>
  )
}

/**
 * Page of the connections that are sought, last changed first; its number is kept in the address as `parameter`. Where the
 * API refuses to look through so many, it is a page of those that the indexes find, of which `listed` takes the ones meant.
 */
function useConnections({ filter, indexed, isMeant }: Sought, parameter: string) {
  const [pageNumber, onTurn] = usePageNumber(parameter)
  const [isTooLarge, setIsTooLarge] = useState(false)
  const query = {
    ...{ PageSize: PAGE_SIZE, PageNumber: pageNumber, OrderBy: 'lastUpdatedOn', Desc: true },
    FilterQuery: isTooLarge ? indexed : filter,
  }
  const read = useRead<ListPage<ListedConnection>>(withQuery(STATUSES, query), { everyMs: EVERY_MS, keep: true })
  if (!isTooLarge && read.error?.fields.some(({ field }) => field === 'FilterQuery')) setIsTooLarge(true)
  return { read, onTurn, isTooLarge, listed: (read.data?.data ?? []).filter(isMeant) }
}

interface FaultsProps extends Omit<ReturnType<typeof useConnections>, 'read'> {
  page: ListPage<ListedConnection>
}

function Faults({ page, listed, isTooLarge, onTurn }: FaultsProps) {
  const names = useNames(listed)
  return (
    <Names read={names}>
      {(nameOf) => (
        <>
          {isTooLarge && <TooMany />}
          {listed.map((connection) => (
            <Item key={connection.sessionId} connection={connection} companyName={nameOf(connection)} />
          ))}
          {page.total > PAGE_SIZE && <Pager page={page} onTurn={onTurn} />}
        </>
      )}
    </Names>
  )
}

function TooMany() {
  const texts = useTexts(inboxTexts)
  return (
    <Text size="sm" c="dimmed" mb="sm">
      {texts.tooMany}
    </Text>
  )
}

/** Names of the companies of one page. */
function useNames(connections: readonly ListedConnection[]) {
  const filter = [...new Set(connections.map(({ companyId }) => `id=${companyId}`))].join('||')
  const path = withQuery('/normalized-data/companies', { PageSize: PAGE_SIZE, FilterQuery: filter })
  return useRead<ListPage<Company>>(path, { enabled: connections.length > 0, keep: true })
}

/** Waits for the names, so that the layout does not shift; shows "…" where they cannot be read. */
function Names({ read, children }: { read: ReturnType<typeof useNames>; children(nameOf: (of: ListedConnection) => string): ReactNode }) {
  if (read.isLoading) return <Waiting lines={6} />
  return (
    <>
      <Failure reads={[read]} />
      {children(({ companyId }) => read.data?.data.find(({ id }) => id === companyId)?.name ?? '…')}
    </>
  )
}

function Item({ connection, companyName }: { connection: ListedConnection; companyName: string }) {
  const texts = useTexts(inboxTexts)
  const { companyId, serviceId, statusCode, serviceName } = connection
  const connectionKey = { companyId, serviceId }
  return (
    <article className="section">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4">
          <UserText most={80}>{companyName}</UserText> · <ServiceName most={60}>{serviceName}</ServiceName>
        </Title>
        <Open connection={connection} companyName={companyName} />
      </Group>
      <Text size="sm">
        <Status code={statusCode} /> · {responsibleParty(connection) === 'owner' ? texts.owner : texts.developer} · {texts.since}{' '}
        <When at={connection.lastUpdatedOn} />
      </Text>
      <Cause connectionKey={connectionKey} connection={connection} companyName={companyName} isStale={false} />
    </article>
  )
}

function Open({ connection, companyName }: { connection: ListedConnection; companyName: string }) {
  const texts = useTexts(inboxTexts)
  const formats = useFormats()
  const nameOf = useServiceName()
  const { companyId, serviceId, serviceName } = connection
  return (
    <Link
      href={`/companies/${companyId}/connections/${serviceId}`}
      aria-label={formats.named(texts.open, `${companyName.slice(0, 80)}, ${nameOf(serviceName)}`)}
    >
      {texts.open}
    </Link>
  )
}

/** Connections that wait for a source and recover by themselves, with the cause. */
function Late() {
  const texts = useTexts(inboxTexts)
  const { messages } = useTexts(faultTexts)
  const { read: late, listed, isTooLarge, onTurn } = useConnections(LATE, 'late')
  const names = useNames(listed)
  if (isEmptyAnswer(late, ({ total }) => total === 0)) return null
  return (
    <Section title={texts.waiting}>
      <Text size="sm" c="dimmed" mb="sm">
        {texts.waitingLead}
      </Text>
      <Answer read={late}>
        {(page) => (
          <Names read={names}>
            {(nameOf) => (
              <>
                {isTooLarge && <TooMany />}
                <Grid
                  label={texts.waiting}
                  rows={listed}
                  keyOf={({ sessionId }) => sessionId}
                  empty={{ title: texts.none }}
                  columns={[
                    { name: texts.company, cell: (connection) => <Named connection={connection} companyName={nameOf(connection)} /> },
                    { name: texts.cause, cell: ({ trouble }) => trouble && <span className="wrap">{messages[trouble.code].cause}</span> },
                    { name: texts.nextTry, cell: ({ trouble }) => <When at={trouble?.nextAttemptOn} /> },
                  ]}
                />
                {page.total > PAGE_SIZE && <Pager page={page} onTurn={onTurn} />}
              </>
            )}
          </Names>
        )}
      </Answer>
    </Section>
  )
}

function Named({ connection, companyName }: { connection: ListedConnection; companyName: string }) {
  const { companyId, serviceId, serviceName } = connection
  return (
    <Link href={`/companies/${companyId}/connections/${serviceId}`}>
      <UserText most={60}>{companyName}</UserText> · <ServiceName most={40}>{serviceName}</ServiceName>
    </Link>
  )
}
