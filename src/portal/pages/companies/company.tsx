import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, useLocation, useParams } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import type { Company, Connection } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer, PageAnswer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Status } from '../../parts/display/status.tsx'
import { ServiceName, UserText, When } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { companyTexts } from '../../texts/pages/companies.ts'
import { consentTexts } from '../../texts/pages/owner-pages.ts'
import { Consents } from '../consents/consents.tsx'
import { Receipts } from '../consents/receipts.tsx'
import { LinkMaker } from '../links/link-maker.tsx'
import { BankAccounts } from './accounts.tsx'
import { CompanyForm } from './company-form.tsx'

const PAGE_SIZE = 50
const EVERY_MS = 5_000

export function CompanyPage() {
  const { companyId = '' } = useParams()
  const company = useRead<Company>(`/normalized-data/companies/${encodeURIComponent(companyId)}`)
  return <PageAnswer read={company}>{(found) => <CompanyView key={found.id} company={found} />}</PageAnswer>
}

function CompanyView({ company }: { company: Company }) {
  const texts = useTexts(companyTexts)
  const consentWords = useTexts(consentTexts)
  const [, navigate] = useLocation()
  const { mayOperate } = useRights()
  const [isEditing, editing] = useDisclosure(false)
  const [isLinking, linking] = useDisclosure(false)
  const path = `/normalized-data/companies/${company.id}`
  const remove = useChange<void>(
    () => ({ method: 'DELETE', path }),
    () => navigate('/companies'),
  )
  return (
    <Page
      title={company.name.slice(0, 120)}
      actions={
        mayOperate && (
          <>
            <Button size="xs" onClick={linking.open}>
              {texts.link}
            </Button>
            <Button size="xs" variant="default" onClick={editing.open}>
              {texts.edit}
            </Button>
            <Confirm label={texts.remove} title={texts.removeTitle} question={texts.removeQuestion} isDangerous {...remove.toConfirm()} />
          </>
        )
      }
    >
      <CompanyFacts company={company} />
      <Connections companyId={company.id} />
      <BankAccounts companyId={company.id} />
      <Section title={consentWords.title}>
        <Consents path={`/normalized-data/company/${company.id}`} />
      </Section>
      <Receipts companyId={company.id} />
      <CompanyForm title={texts.editTitle} company={company} isOpen={isEditing} onClose={editing.close} onSaved={() => undefined} />
      <LinkMaker companyId={company.id} isOpen={isLinking} onClose={linking.close} />
    </Page>
  )
}

function CompanyFacts({ company }: { company: Company }) {
  const texts = useTexts(companyTexts)
  const facts = [
    { name: texts.industry, value: company.industry },
    { name: texts.address, value: company.fullAddress },
    { name: texts.place, value: [company.city, company.country].filter(Boolean).join(', ') },
    { name: texts.phone, value: company.companyContactNumber },
    { name: texts.externalId, value: company.externalId ?? '' },
    ...Object.entries(company.metadata).map(([name, value]) => ({ name: `metadata.${name}`, value })),
  ].filter(({ value }) => value !== '')
  if (facts.length === 0) return null
  return <Facts facts={facts.map(({ name, value }) => ({ name, value: <UserText>{value}</UserText> }))} />
}

function Connections({ companyId }: { companyId: string }) {
  const texts = useTexts(companyTexts)
  const [pageNumber, turn] = usePageNumber('connections')
  const query = { PageSize: PAGE_SIZE, PageNumber: pageNumber, FilterQuery: 'isCurrent=true' }
  const path = withQuery(`/normalized-data/company/${companyId}/data-connection/statuses`, query)
  const connections = useRead<ListPage<Connection>>(path, { everyMs: EVERY_MS, keep: true })
  return (
    <Section title={texts.connections}>
      <Answer read={connections}>
        {(page) => (
          <>
            <Grid
              label={texts.connections}
              rows={page.data}
              keyOf={({ sessionId }) => sessionId}
              empty={{ title: texts.noConnectionTitle, hint: texts.noConnectionHint }}
              columns={[
                {
                  name: texts.service,
                  cell: ({ serviceId, serviceName }) => (
                    <Link href={`/companies/${companyId}/connections/${serviceId}`}>
                      <ServiceName>{serviceName}</ServiceName>
                    </Link>
                  ),
                },
                { name: texts.status, cell: ({ statusCode }) => <Status code={statusCode} /> },
                { name: texts.added, cell: ({ createdOn }) => <When at={createdOn} /> },
                {
                  name: texts.nextRead,
                  cell: ({ updateScheduledOn }) => <When at={updateScheduledOn} />,
                },
              ]}
            />
            {page.total > PAGE_SIZE && <Pager page={page} onTurn={turn} />}
          </>
        )}
      </Answer>
    </Section>
  )
}
