import { Text, TextInput } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { Deployment, Service } from '../../api/types.ts'
import { Answer } from '../../parts/answer.tsx'
import { Grid } from '../../parts/grid.tsx'
import { Page } from '../../parts/page.tsx'
import { Mark } from '../../parts/status.tsx'
import { Words } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language.tsx'
import { catalogueTexts } from '../../texts/operation.ts'
import { Requests } from './requests.tsx'

export function CataloguePage() {
  const texts = useTexts(catalogueTexts)
  const [params, setParams] = useSearchParams()
  const words = params.get('search') ?? ''
  const services = useRead<ListPage<Service>>(withQuery('/normalized-data/services', { PageSize: 500, OrderBy: 'name' }))
  const deployment = useRead<Deployment>('/deployment')
  const fits = ({ name, title }: Service) => `${name} ${title}`.toLocaleLowerCase().includes(words.toLocaleLowerCase())
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Text size="sm" mb="md" mih="1.6em">
        {texts.environment}: {deployment.data && texts.environments[deployment.data.environment]}
      </Text>
      <TextInput
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={words}
        onChange={(event) => setParams(event.currentTarget.value === '' ? {} : { search: event.currentTarget.value }, { replace: true })}
        mb="md"
      />
      <Answer read={services} lines={10}>
        {({ data }) => (
          <>
            <Grid
              label={texts.title}
              rows={data.filter(fits)}
              keyOf={({ id }) => id}
              empty={{ title: texts.none }}
              columns={[
                {
                  name: texts.name,
                  cell: ({ name, parentName }) => (
                    <>
                      <Words most={100}>{name}</Words> {parentName && <Words most={60}>{texts.through(parentName)}</Words>}
                    </>
                  ),
                },
                { name: texts.category, cell: ({ category }) => texts.categories[category] },
                { name: texts.entities, cell: ({ supportedEntities }) => supportedEntities.join(', ') },
                {
                  name: texts.state,
                  cell: ({ isEnabled }) => <Mark health={isEnabled ? 'good' : 'idle'}>{isEnabled ? texts.enabled : texts.disabled}</Mark>,
                },
              ]}
            />
            <Requests services={data} />
          </>
        )}
      </Answer>
    </Page>
  )
}
