import { Tabs } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { Company, ConnectionDetail, Quality, Service } from '../../api/generated/types.ts'
import { useRead, useRights } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answers/answer.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Status } from '../../parts/display/status.tsx'
import { ServiceName, UserText, When } from '../../parts/display/user-text.tsx'
import { Page as PageFrame } from '../../parts/layout/page.tsx'
import { useServiceName, useTexts } from '../../texts/language/language.tsx'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { Consents } from '../consents/consents.tsx'
import { OwnerPageMail } from '../mail/owner-page-mail.tsx'
import { Accounts } from './accounts.tsx'
import { Actions } from './actions.tsx'
import { AsOf } from './as-of.tsx'
import { Balances } from './balances.tsx'
import { Cause } from './cause.tsx'
import { type ConnectionKey, connectionPath } from './paths.ts'
import { QualityView } from './quality.tsx'
import { Runs } from './runs.tsx'
import { ScheduleSection } from './schedule.tsx'
import { Timeline } from './timeline.tsx'
import { Transactions } from './transactions.tsx'
import { Tree } from './tree.tsx'

const TABS = ['timeline', 'runs', 'accounts', 'tree', 'transactions', 'balances', 'quality', 'consents'] as const
type Tab = (typeof TABS)[number]
const FRESH_MS = 3_000
const DISCONNECTED = 26

const useCompany = ({ companyId }: ConnectionKey) => useRead<Company>(`/normalized-data/companies/${companyId}`)
const useQuality = (connectionKey: ConnectionKey) => useRead<Quality>(`${connectionPath(connectionKey)}/quality`, { everyMs: FRESH_MS })
const useServices = ({ serviceId }: ConnectionKey) =>
  useRead<Page<Service>>(withQuery('/normalized-data/services', { FilterQuery: `id=${serviceId}` }))

/** Page of one connection; the selected tab is in the address. */
export function ConnectionPage() {
  const { companyId = '', serviceId = '' } = useParams()
  const connectionKey = { companyId, serviceId }
  const detail = useRead<ConnectionDetail>(`${connectionPath(connectionKey)}/status`, { everyMs: FRESH_MS })
  const [company, quality, services] = [useCompany(connectionKey), useQuality(connectionKey), useServices(connectionKey)]
  return (
    <PageAnswer read={detail} beside={[company, quality, services]}>
      {(connection) => <ConnectionView key={`${companyId} ${serviceId}`} connectionKey={connectionKey} connection={connection} />}
    </PageAnswer>
  )
}

function ConnectionView({ connectionKey, connection }: { connectionKey: ConnectionKey; connection: ConnectionDetail }) {
  const texts = useTexts(connectionTexts)
  const nameOf = useServiceName()
  const { mayOperate } = useRights()
  const company = useCompany(connectionKey)
  const quality = useQuality(connectionKey)
  return (
    <PageFrame
      title={nameOf(connection.serviceName).slice(0, 120)}
      actions={mayOperate && <Actions connectionKey={connectionKey} connection={connection} />}
    >
      <p>
        <Link href={`/companies/${connectionKey.companyId}`}>
          <UserText>{company.data?.name ?? '…'}</UserText>
        </Link>{' '}
        · {texts.categories[connection.category]} · <Status code={connection.statusCode} />
      </p>
      <Cause
        connectionKey={connectionKey}
        connection={connection}
        companyName={company.data?.name ?? ''}
        isStale={quality.data?.staleness.isStale ?? false}
      />
      <Facts
        facts={[
          { name: texts.lastGood, value: <When at={quality.data?.staleness.lastReadOn} /> },
          { name: texts.lastChange, value: <When at={connection.lastPublishedOn} /> },
          { name: texts.nextRead, value: <When at={connection.nextReadOn} /> },
          { name: texts.entity, value: <ServiceName>{connection.entityName ?? '—'}</ServiceName> },
        ]}
      />
      {connection.statusCode !== DISCONNECTED && (
        <ScheduleSection path={connectionPath(connectionKey)} of="connection" mayChange={mayOperate} />
      )}
      <Views connectionKey={connectionKey} connection={connection} />
    </PageFrame>
  )
}

function Views({ connectionKey, connection }: { connectionKey: ConnectionKey; connection: ConnectionDetail }) {
  const texts = useTexts(connectionTexts)
  const [params, setParams] = useSearchParams()
  const services = useServices(connectionKey)
  const hasTransactions = services.data?.data[0]?.supportedEntities.includes('Transactions') ?? false
  const missing = [connection.category === 'Banking' ? 'tree' : 'balances', ...(hasTransactions ? [] : ['transactions'])]
  const shown = TABS.filter((tab) => !missing.includes(tab))
  const tab = shown.find((each) => each === params.get('view')) ?? 'timeline'
  const asOf = params.get('asOf')
  const data = { connectionKey, category: connection.category, asOf }
  const choose = (view: string | null) => setParams({ view: view ?? 'timeline', ...(asOf === null ? {} : { asOf }) }, { replace: true })
  const isPast = tab === 'accounts' || tab === 'tree' || tab === 'transactions'
  return (
    <Tabs value={tab} onChange={choose} mt="lg" keepMounted={false}>
      <Tabs.List aria-label={texts.views} mb="md">
        {shown.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {texts.tabs[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {isPast && <AsOf connectionKey={connectionKey} />}
      {shown.map((each) => (
        <Tabs.Panel key={each} value={each}>
          <View tab={each} {...data} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface DataProps {
  connectionKey: ConnectionKey
  category: ConnectionDetail['category']
  asOf: string | null
}

function View({ tab, ...data }: DataProps & { tab: Tab }) {
  switch (tab) {
    case 'timeline':
      return <Timeline connectionKey={data.connectionKey} />
    case 'runs':
      return <Runs connectionKey={data.connectionKey} />
    case 'accounts':
      return <Accounts {...data} />
    case 'tree':
      return <Tree {...data} />
    case 'transactions':
      return <Transactions {...data} />
    case 'balances':
      return <Balances connectionKey={data.connectionKey} />
    case 'quality':
      return <QualityView connectionKey={data.connectionKey} />
    case 'consents':
      return (
        <>
          <Consents path={connectionPath(data.connectionKey)} />
          <OwnerPageMail companyId={data.connectionKey.companyId} />
        </>
      )
  }
}
