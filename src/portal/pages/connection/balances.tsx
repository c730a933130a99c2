import { Box, NativeSelect, Text } from '@mantine/core'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { call, type Page, withQuery } from '../../api/client.ts'
import { quoteValue } from '../../api/filters.ts'
import type { BankAccount } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { Answer, Failure, Waiting } from '../../parts/answers/answer.tsx'
import { Instant } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { usePublications } from './as-of.tsx'
import { ACCOUNT_PROPERTIES, toFilterQuery } from './data-filter.ts'
import { SearchWords, useDataFilter } from './filter-bar.tsx'
import { type ConnectionKey, dataPath } from './paths.ts'
import { type Point, StepChart } from './step-chart.tsx'

/** Number of newest publications that are read. */
const MAX_POINTS = 24
/** Accounts to choose from; further ones are found by the search. */
const MAX_CHOICES = 500

/** Balance history of one account, by publication: chart and table. */
export function Balances({ connectionKey }: { connectionKey: ConnectionKey }) {
  const texts = useTexts(dataTexts)
  const { read, publications } = usePublications(connectionKey)
  if (publications.length === 0) {
    return (
      <Answer read={read} lines={8}>
        {() => <Empty title={texts.none}>{texts.noneHint}</Empty>}
      </Answer>
    )
  }
  return (
    <>
      <Failure reads={[read]} />
      <BalancesOfOne connectionKey={connectionKey} publications={publications} />
    </>
  )
}

interface PublishedProps {
  connectionKey: ConnectionKey
  /** All of them, oldest first. */
  publications: readonly string[]
}

/** The chosen account, or the first. Where there are too many to choose from, the list is searched. */
function BalancesOfOne({ connectionKey, publications }: PublishedProps) {
  const texts = useTexts(dataTexts)
  const [params] = useSearchParams()
  const { filter, change } = useDataFilter()
  const FilterQuery = toFilterQuery({ ...filter, expression: '' }, { search: ACCOUNT_PROPERTIES.Banking.search })
  const path = dataPath(connectionKey, 'Banking', 'accounts')
  const accounts = useRead<Page<BankAccount>>(withQuery(path, { asOf: publications.at(-1), PageSize: MAX_CHOICES, FilterQuery }))
  const [isLong, setIsLong] = useState(filter.search !== '')
  if (!isLong && accounts.data && accounts.data.total > accounts.data.data.length) setIsLong(true)
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {publications.length > MAX_POINTS ? texts.balancesNewest(MAX_POINTS, publications.length) : texts.balancesHint}
      </Text>
      {isLong && (
        <Box mb="sm" maw={420}>
          <SearchWords label={texts.searchAccounts} words={filter.search} onSearch={(search) => change({ search, account: '' })} />
        </Box>
      )}
      <Answer read={accounts} lines={8}>
        {(page) => {
          const account = page.data.find(({ origId }) => origId === params.get('account')) ?? page.data[0]
          if (account === undefined) {
            const [title, hint] = filter.search === '' ? [texts.none, texts.noneHint] : [texts.nothingFits, texts.nothingFitsHint]
            return <Empty title={title}>{hint}</Empty>
          }
          return (
            <>
              <AccountChoice page={page} account={account} onChoose={(chosen) => change({ account: chosen })} />
              <BalanceHistory key={account.origId} connectionKey={connectionKey} account={account} publications={publications} />
            </>
          )
        }}
      </Answer>
    </>
  )
}

interface AccountChoiceProps {
  page: Page<BankAccount>
  account: BankAccount
  onChoose(origId: string): void
}

function AccountChoice({ page, account, onChoose }: AccountChoiceProps) {
  const texts = useTexts(dataTexts)
  return (
    <NativeSelect
      label={texts.account}
      description={page.total > page.data.length ? texts.someAccounts(page.data.length, page.total) : undefined}
      value={account.origId}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={page.data.map(({ origId, accountName, accountNumber }) => ({
        value: origId,
        label: (accountName.includes(accountNumber) ? accountName || texts.unnamed : `${accountName} ${accountNumber}`).slice(0, 80),
      }))}
      mb="md"
      maw={420}
    />
  )
}

interface BalanceHistoryProps extends PublishedProps {
  /** As of the last publication. */
  account: BankAccount
}

function BalanceHistory({ connectionKey, account, publications }: BalanceHistoryProps) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const earlier = useEarlier(connectionKey, account.origId, publications.slice(-MAX_POINTS, -1))
  if (earlier.some(({ isPending }) => isPending)) return <Waiting lines={8} />
  const now = publications.slice(-1).flatMap((at) => toPoints(at, account))
  const points = [...earlier.flatMap(({ data }) => data ?? []), ...now]
  const show = (value: number) => formats.money(value, account.currency)
  return (
    <>
      <Failure reads={earlier} />
      <StepChart points={points} label={texts.chart} show={show} />
      <Grid
        label={texts.chart}
        rows={points.toReversed()}
        keyOf={({ at }) => at}
        empty={{ title: texts.none, hint: texts.noneHint }}
        columns={[
          { name: texts.asOf, cell: ({ at }) => <Instant at={at} /> },
          { name: texts.balance, isNumber: true, cell: ({ value }) => show(value) },
        ]}
      />
    </>
  )
}

/** None if the account was not there, or had no balance. */
function toPoints(at: string, account: BankAccount | undefined): Point[] {
  const value = account?.actualBalance
  return value === null || value === undefined ? [] : [{ at, value }]
}

/** Balance of an account at each publication; a past one never changes. */
function useEarlier(connectionKey: ConnectionKey, origId: string, moments: readonly string[]): UseQueryResult<Point[], Problem>[] {
  return useQueries({
    queries: moments.map((at) => {
      const query = { asOf: at, FilterQuery: `origId=${quoteValue(origId, origId.length)}` }
      const path = withQuery(dataPath(connectionKey, 'Banking', 'accounts'), query)
      return {
        queryKey: [path, 'balance'],
        queryFn: async (): Promise<Point[]> => toPoints(at, (await call<Page<BankAccount>>(path)).data[0]),
        staleTime: Number.POSITIVE_INFINITY,
      }
    }),
  })
}
