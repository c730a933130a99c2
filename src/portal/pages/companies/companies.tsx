import { Button } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { companySearch } from '../../api/filters.ts'
import type { Company } from '../../api/generated/types.ts'
import { useRead, useRights } from '../../api/reads.ts'
import { Answer, Failure, Waiting } from '../../parts/answers/answer.tsx'
import { useDialog } from '../../parts/dialogs/dialog.ts'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { ListSearch, useSearchWords } from '../../parts/forms/search-field.tsx'
import { Empty, Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { companyTexts } from '../../texts/pages/companies.ts'
import { CompanyForm } from './company-form.tsx'
import { ConnectionsCell, useConnectionPreviews } from './connections-cell.tsx'

const PAGE_SIZE = 25

export function CompaniesPage() {
  const texts = useTexts(companyTexts)
  const [, navigate] = useLocation()
  const [pageNumber, turn] = usePageNumber('page')
  const [isAdding, adding] = useDialog('add')
  const { mayOperate } = useRights()
  const words = useSearchWords()
  const query = { PageSize: PAGE_SIZE, PageNumber: pageNumber, OrderBy: 'createdOn', Desc: true, Search: companySearch(words) }
  const companies = useRead<ListPage<Company>>(withQuery('/normalized-data/companies', query), { keep: true })
  return (
    <Page title={texts.title} lead={texts.lead} actions={mayOperate && <Button onClick={adding.open}>{texts.add}</Button>}>
      <ListSearch label={texts.search} />
      <Answer read={companies} lines={8}>
        {(page) =>
          page.total === 0 && words === '' ? (
            <Empty title={texts.noneTitle}>{texts.noneHint}</Empty>
          ) : (
            <>
              <CompanyTable companies={page.data} />
              <Pager page={page} onTurn={turn} />
            </>
          )
        }
      </Answer>
      <CompanyForm title={texts.addTitle} isOpen={isAdding} onClose={adding.close} onSaved={({ id }) => navigate(`/companies/${id}`)} />
    </Page>
  )
}

function CompanyTable({ companies }: { companies: readonly Company[] }) {
  const texts = useTexts(companyTexts)
  const { shared, reads, previewOf } = useConnectionPreviews(companies)
  // Without companies there is no request.
  if (shared.isLoading) return <Waiting lines={8} />
  return (
    <>
      <Failure reads={reads} />
      <Grid
        label={texts.title}
        rows={companies}
        keyOf={({ id }) => id}
        empty={{ title: texts.nothingTitle, hint: texts.nothingHint }}
        columns={[
          {
            name: texts.name,
            cell: ({ id, name }) => (
              <Link href={`/companies/${id}`}>
                <UserText most={120}>{name}</UserText>
              </Link>
            ),
          },
          { name: texts.externalId, cell: ({ externalId }) => <UserText most={40}>{externalId ?? ''}</UserText> },
          { name: texts.place, cell: ({ city, country }) => <UserText most={60}>{[city, country].filter(Boolean).join(', ')}</UserText> },
          { name: texts.connections, cell: (company) => <ConnectionsCell company={company} preview={previewOf(company)} /> },
          { name: texts.added, cell: ({ createdOn }) => <When at={createdOn} /> },
        ]}
      />
    </>
  )
}
