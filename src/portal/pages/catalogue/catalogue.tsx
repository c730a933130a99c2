import { Text } from '@mantine/core'
import { Link } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { quoteValue } from '../../api/filters.ts'
import type { Deployment, Service, Source, Whoami } from '../../api/generated/types.ts'
import { useRead, useWhole } from '../../api/reads.ts'
import { Answer, Failure } from '../../parts/answers/answer.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { ServiceName, UserText } from '../../parts/display/user-text.tsx'
import { ListSearch, useSearchWords } from '../../parts/forms/search-field.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useServiceName, useServicesNamed, useTexts } from '../../texts/language/language.tsx'
import { catalogueTexts } from '../../texts/pages/operation.ts'
import { sourceTexts } from '../../texts/pages/sources.ts'
import { Requests } from './requests.tsx'

const SERVICES = '/normalized-data/services'
const PAGE_SIZE = 50

export function CataloguePage() {
  const texts = useTexts(catalogueTexts)
  const sourceWords = useTexts(sourceTexts)
  const words = useSearchWords()
  const formats = useFormats()
  const [pageNumber, turn] = usePageNumber('page')
  const services = useServices(words, pageNumber)
  const direct = useWhole<Service>(SERVICES, { OrderBy: 'name', FilterQuery: 'parentId=null' })
  const deployment = useRead<Deployment>('/deployment')
  const me = useRead<Whoami>('/auth/me')
  const isAdmin = me.data?.role === 'admin'
  const sources = useRead<Source[]>('/sources', { enabled: isAdmin })
  const sourceOf = ({ id }: Service) => sources.data?.find(({ serviceId }) => serviceId === id)
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Text size="sm" mb="md" mih="1.6em">
        {deployment.data && formats.named(texts.environment, texts.environments[deployment.data.environment])}
      </Text>
      <ListSearch label={texts.search} />
      <Failure reads={[deployment, sources]} />
      <Answer read={services} beside={[direct]} lines={10}>
        {(page) => (
          <>
            <Grid
              label={texts.title}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={{ title: texts.none }}
              columns={[
                {
                  name: texts.name,
                  cell: ({ name, parentName }) => (
                    <>
                      <ServiceName most={100}>{name}</ServiceName>{' '}
                      {parentName && <UserText most={60}>{texts.through(parentName)}</UserText>}
                    </>
                  ),
                },
                { name: texts.category, cell: ({ category }) => texts.categories[category] },
                { name: texts.entities, cell: ({ supportedEntities }) => supportedEntities.join(', ') },
                {
                  name: texts.state,
                  cell: (service) => <State service={service} source={sourceOf(service)} />,
                },
                ...(isAdmin ? [{ name: sourceWords.set, cell: (service: Service) => <Settings source={sourceOf(service)} /> }] : []),
              ]}
            />
            {page.total > PAGE_SIZE && <Pager page={page} onTurn={turn} />}
            {direct.data && <Requests services={direct.data.data} />}
          </>
        )}
      </Answer>
    </Page>
  )
}

/** Page of the services whose name or title, in the page's language, has the words. */
function useServices(words: string, pageNumber: string | null) {
  const text = words.trim().toLocaleLowerCase()
  const named = useServicesNamed()((name) => name.toLocaleLowerCase().includes(text)).map((name) => `name=${quoteValue(name)}`)
  const clauses = text === '' ? [] : [`name~${quoteValue(text)}`, `title~${quoteValue(text)}`, ...named]
  const query = { PageSize: PAGE_SIZE, PageNumber: pageNumber, OrderBy: 'name', FilterQuery: clauses.join('||') }
  return useRead<ListPage<Service>>(withQuery(SERVICES, query), { keep: true })
}

/** Whether a service can be linked; only an admin sees why not. */
function State({ service, source }: { service: Service; source: Source | undefined }) {
  const texts = useTexts(catalogueTexts)
  const words = useTexts(sourceTexts)
  if (service.isEnabled) return <Mark health="good">{texts.enabled}</Mark>
  return <Mark health="idle">{source?.closedBy ? words.closedBy[source.closedBy] : texts.disabled}</Mark>
}

function Settings({ source }: { source: Source | undefined }) {
  const words = useTexts(sourceTexts)
  const nameOf = useServiceName()
  if (!source) return null
  return (
    <Link href={`/catalogue/${source.key}`} aria-label={words.settings(nameOf(source.name))}>
      {words.set}
    </Link>
  )
}
