import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { call, type Page, withQuery } from '../../api/client.ts'
import { quoteValue } from '../../api/filters.ts'
import type { BankAccount } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { Failure, Waiting } from '../../parts/answers/answer.tsx'
import { Instant } from '../../parts/display/user-text.tsx'
import { useAddressFilter } from '../../parts/forms/address-filter.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { usePublications } from './as-of.tsx'
import { type ConnectionKey, dataPath } from './paths.ts'
import { StepChart } from './step-chart.tsx'

/** Number of newest publications that are read. */
const MAX_POINTS = 24
/** Accounts to choose from; further ones are found by the search. */
const MAX_CHOICES = 500
const MAX_SEARCH_LETTERS = 150
const SEARCHED = ['accountName', 'accountNumber']

/** Balance at a publication. */
interface Point {
  at: string
  value: number
}

/** Balance history of one account, by publication: chart and table. */
export function Balances({ connectionKey }: { connectionKey: ConnectionKey }) {
  const texts = useTexts(dataTexts)
  const { read, publications } = usePublications(connectionKey)
  const { textOf, change } = useAddressFilter(['search', 'account'], 'page')
  const search = textOf('search').slice(0, MAX_SEARCH_LETTERS)
  const last = publications.at(-1)
  const query = {
    asOf: last,
    PageSize: MAX_CHOICES,
    FilterQuery: search === '' ? undefined : SEARCHED.map((name) => `${name}~${quoteValue(search)}`).join('||'),
  }
  const path = dataPath(connectionKey, 'Banking', 'accounts')
  const accounts = useRead<Page<BankAccount>>(withQuery(path, query), { enabled: last !== undefined, keep: true })
  const isEmpty = read.data !== undefined && (last === undefined || (search === '' && accounts.data?.data.length === 0))
  if (isEmpty) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  if (read.isPending || (last !== undefined && accounts.isPending)) return <Waiting lines={8} />
  const account = accounts.data?.data.find(({ origId }) => origId === textOf('account')) ?? accounts.data?.data[0]
  return (
    <>
      <Failure reads={[read, accounts]} />
      {accounts.data && (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            {publications.length > MAX_POINTS ? texts.balancesNewest(MAX_POINTS, publications.length) : texts.balancesHint}
          </Text>
          <AccountChoice page={accounts.data} account={account} search={search} onChange={change} />
          {account ? (
            <BalanceHistory key={account.origId} connectionKey={connectionKey} account={account} publications={publications} />
          ) : (
            <Empty title={texts.nothingFits}>{texts.nothingFitsHint}</Empty>
          )}
        </>
      )}
    </>
  )
}

interface AccountChoiceProps {
  page: Page<BankAccount>
  account: BankAccount | undefined
  search: string
  onChange(changed: Record<string, string>): void
}

/** The accounts to choose from, with a search where there are too many. */
function AccountChoice({ page, account, search, onChange }: AccountChoiceProps) {
  const texts = useTexts(dataTexts)
  const searchFor = useDebouncedCallback((words: string) => onChange({ search: words, account: '' }), 300)
  const hasMore = page.total > page.data.length
  return (
    <>
      {(hasMore || search !== '') && (
        <TextInput
          type="search"
          label={texts.searchAccounts}
          defaultValue={search}
          maxLength={MAX_SEARCH_LETTERS}
          onChange={(event) => searchFor(event.currentTarget.value.trim())}
          mb="sm"
          maw={420}
        />
      )}
      {account && (
        <NativeSelect
          label={texts.account}
          description={hasMore ? texts.someAccounts(page.data.length, page.total) : undefined}
          value={account.origId}
          onChange={(event) => onChange({ account: event.currentTarget.value })}
          data={page.data.map(({ origId, accountName, accountNumber }) => ({
            value: origId,
            label: (accountName.includes(accountNumber) ? accountName || texts.unnamed : `${accountName} ${accountNumber}`).slice(0, 80),
          }))}
          mb="md"
          maw={420}
        />
      )}
    </>
  )
}

interface BalanceHistoryProps {
  connectionKey: ConnectionKey
  /** As of the last publication. */
  account: BankAccount
  /** All of them, oldest first. */
  publications: readonly string[]
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
