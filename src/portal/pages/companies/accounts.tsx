import { Alert, Text } from '@mantine/core'
import { Link } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { CompanyAccount, CompanyAccounts } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useServiceName, useTexts } from '../../texts/language/language.tsx'
import { companyAccountTexts } from '../../texts/pages/companies.ts'

const PAGE_SIZE = 50
/** Polling interval, in milliseconds: the service compares all accounts of the company at each request. */
const EVERY_MS = 60_000

type Accounts = CompanyAccounts & Pick<Page<unknown>, 'total'>
type SameAccount = CompanyAccount['sameAs'][number]

/** Bank accounts of a company at all services: which are the same, and totals that count them once. */
export function BankAccounts({ companyId }: { companyId: string }) {
  const texts = useTexts(companyAccountTexts)
  const [pageNumber, turn] = usePageNumber('accounts')
  const path = `/normalized-data/companies/${companyId}/accounts`
  const accounts = useRead<Accounts>(withQuery(path, { PageSize: PAGE_SIZE, PageNumber: pageNumber }), { keep: true, everyMs: EVERY_MS })
  // Companies of which only the books are read have none.
  if (accounts.data?.total === 0) return null
  return (
    <Section title={texts.title}>
      <Answer read={accounts}>
        {(page) => (
          <>
            <HeldTwice banks={page.banksHeldTwice} />
            <Totals totals={page.totals} />
            <AccountGrid companyId={companyId} rows={page.data} />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
    </Section>
  )
}

function HeldTwice({ banks }: { banks: CompanyAccounts['banksHeldTwice'] }) {
  const texts = useTexts(companyAccountTexts)
  const serviceLabel = useServiceLabel()
  return banks.map(({ bank, connections }) => (
    <Alert key={connections.map(({ sessionId }) => sessionId).join()} variant="light" color="yellow" mb="sm" role="note">
      <UserText most={400}>{texts.heldTwice(bank, connections.map(serviceLabel).join(', '))}</UserText>
    </Alert>
  ))
}

function Totals({ totals }: { totals: CompanyAccounts['totals'] }) {
  const texts = useTexts(companyAccountTexts)
  const formats = useFormats()
  const facts = totals.map(({ currency, accounts, assets, debts }) => ({
    name: currency === '' ? texts.total : texts.totalIn(currency),
    value: texts.sums(formats.money(assets, currency), formats.money(debts, currency), accounts),
  }))
  return facts.length === 0 ? null : <Facts facts={facts} />
}

function AccountGrid({ companyId, rows }: { companyId: string; rows: readonly CompanyAccount[] }) {
  const texts = useTexts(companyAccountTexts)
  const formats = useFormats()
  const serviceLabel = useServiceLabel()
  return (
    <Grid
      label={texts.title}
      rows={rows}
      keyOf={({ id }) => id}
      empty={{ title: texts.none }}
      columns={[
        { name: texts.account, cell: ({ accountName }) => <UserText most={100}>{accountName || texts.unnamed}</UserText> },
        { name: texts.number, cell: ({ accountNumber }) => <UserText most={40}>{accountNumber}</UserText> },
        {
          name: texts.service,
          cell: (account) => (
            <Link href={`/companies/${companyId}/connections/${account.serviceId}`}>
              <UserText most={100}>{serviceLabel(account)}</UserText>
            </Link>
          ),
        },
        {
          name: texts.balance,
          isNumber: true,
          cell: ({ actualBalance, currency }) => (actualBalance === null ? '—' : formats.money(actualBalance, currency)),
        },
        { name: texts.sameAs, cell: ({ sameAs }) => <SameAccounts list={sameAs} /> },
      ]}
    />
  )
}

function SameAccounts({ list }: { list: readonly SameAccount[] }) {
  const texts = useTexts(companyAccountTexts)
  const serviceLabel = useServiceLabel()
  return list.map((same) => (
    <div key={same.id}>
      <UserText most={120}>{texts.sameAsOne(serviceLabel(same))}</UserText>
      <Text size="xs" c="dimmed">
        {same.reasons.map((reason) => texts.reasons[reason.code](reason.transactions ?? 0)).join(' · ')}
      </Text>
    </div>
  ))
}

/** A service and, for a bank at an aggregator, the aggregator. */
function useServiceLabel(): (service: { serviceName: string; parentServiceName: string | null }) => string {
  const nameOf = useServiceName()
  return ({ serviceName, parentServiceName }) =>
    parentServiceName === null ? nameOf(serviceName) : `${serviceName} (${parentServiceName})`
}
