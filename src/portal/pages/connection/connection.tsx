import { Tabs } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { Company, ConnectionDetail, Quality, Service } from '../../api/generated/types.ts'
import { useRead, useRights } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Page as PageFrame } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { When, Words } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { Consents } from '../consents/consents.tsx'
import { OwnerPageMail } from '../mail/owner-page-mail.tsx'
import { Accounts } from './accounts.tsx'
import { Actions } from './actions.tsx'
import { AsOf } from './as-of.tsx'
import { Balances } from './balances.tsx'
import { Cause } from './cause.tsx'
import { connectionPath, type Place } from './place.ts'
import { QualityView } from './quality.tsx'
import { Runs } from './runs.tsx'
import { Timeline } from './timeline.tsx'
import { Transactions } from './transactions.tsx'
import { Tree } from './tree.tsx'

const TABS = ['timeline', 'runs', 'accounts', 'tree', 'transactions', 'balances', 'quality', 'consents'] as const
type Tab = (typeof TABS)[number]
const FRESH_MS = 3_000

const useCompany = ({ companyId }: Place) => useRead<Company>(`/normalized-data/companies/${companyId}`)
const useQuality = (place: Place) => useRead<Quality>(`${connectionPath(place)}/quality`, { everyMs: FRESH_MS })
const useServices = ({ serviceId }: Place) =>
  useRead<Page<Service>>(withQuery('/normalized-data/services', { FilterQuery: `id=${serviceId}` }))

/** All about one connection; what is looked at stands in the address. */
export function ConnectionPage() {
  const { companyId = '', serviceId = '' } = useParams()
  const place = { companyId, serviceId }
  const detail = useRead<ConnectionDetail>(`${connectionPath(place)}/status`, { everyMs: FRESH_MS })
  const [company, quality, services] = [useCompany(place), useQuality(place), useServices(place)]
  return (
    <PageAnswer read={detail} beside={[company, quality, services]}>
      {(connection) => <Known key={`${companyId} ${serviceId}`} place={place} connection={connection} />}
    </PageAnswer>
  )
}

function Known({ place, connection }: { place: Place; connection: ConnectionDetail }) {
  const texts = useTexts(connectionTexts)
  const { mayOperate } = useRights()
  const company = useCompany(place)
  const quality = useQuality(place)
  return (
    <PageFrame title={connection.serviceName.slice(0, 120)} actions={mayOperate && <Actions place={place} connection={connection} />}>
      <p>
        <Link href={`/companies/${place.companyId}`}>
          <Words>{company.data?.name ?? '…'}</Words>
        </Link>{' '}
        · {texts.categories[connection.category]} · <Status code={connection.statusCode} />
      </p>
      <Cause
        place={place}
        connection={connection}
        companyName={company.data?.name ?? ''}
        isStale={quality.data?.staleness.isStale ?? false}
      />
      <Facts
        facts={[
          { name: texts.lastGood, value: <When at={quality.data?.staleness.lastReadOn} /> },
          { name: texts.lastChange, value: <When at={connection.lastPublishedOn} /> },
          { name: texts.nextRead, value: <When at={connection.nextReadOn} /> },
          { name: texts.entity, value: <Words>{connection.entityName ?? '—'}</Words> },
        ]}
      />
      <Views place={place} connection={connection} />
    </PageFrame>
  )
}

function Views({ place, connection }: { place: Place; connection: ConnectionDetail }) {
  const texts = useTexts(connectionTexts)
  const [params, setParams] = useSearchParams()
  const services = useServices(place)
  const hasTransactions = services.data?.data[0]?.supportedEntities.includes('Transactions') ?? false
  const missing = [connection.category === 'Banking' ? 'tree' : 'balances', ...(hasTransactions ? [] : ['transactions'])]
  const shown = TABS.filter((tab) => !missing.includes(tab))
  const tab = shown.find((each) => each === params.get('view')) ?? 'timeline'
  const asOf = params.get('asOf')
  const data = { place, category: connection.category, asOf }
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
      {isPast && <AsOf place={place} />}
      {shown.map((each) => (
        <Tabs.Panel key={each} value={each}>
          <View tab={each} {...data} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

interface DataProps {
  place: Place
  category: ConnectionDetail['category']
  asOf: string | null
}

function View({ tab, ...data }: DataProps & { tab: Tab }) {
  switch (tab) {
    case 'timeline':
      return <Timeline place={data.place} />
    case 'runs':
      return <Runs place={data.place} />
    case 'accounts':
      return <Accounts {...data} />
    case 'tree':
      return <Tree {...data} />
    case 'transactions':
      return <Transactions {...data} />
    case 'balances':
      return <Balances place={data.place} />
    case 'quality':
      return <QualityView place={data.place} />
    case 'consents':
      return (
        <>
          <Consents path={connectionPath(data.place)} />
          <OwnerPageMail companyId={data.place.companyId} />
        </>
      )
  }
}
