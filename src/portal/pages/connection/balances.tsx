import { NativeSelect, Text } from '@mantine/core'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { callWhole, wholePath } from '../../api/client.ts'
import type { BankAccount } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { Failure, Waiting } from '../../parts/answers/answer.tsx'
import { Instant } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { usePublications } from './as-of.tsx'
import { type ConnectionKey, dataPath } from './paths.ts'
import { StepChart } from './step-chart.tsx'

/** Number of newest publications that are read. */
const MAX_POINTS = 24

interface Version {
  at: string
  accounts: BankAccount[]
}

/** Balance history of one account, by publication: chart and table. */
export function Balances({ connectionKey }: { connectionKey: ConnectionKey }) {
  const { read, publications } = usePublications(connectionKey)
  const versions = useVersions(connectionKey, publications.slice(-MAX_POINTS))
  if (read.isPending || versions.some(({ isPending }) => isPending)) return <Waiting lines={8} />
  const known = versions.flatMap(({ data }) => (data ? [data] : []))
  const isKnown = read.data !== undefined && (known.length > 0 || publications.length === 0)
  return (
    <>
      <Failure reads={[read, ...versions]} />
      {isKnown && <BalanceHistory versions={known} publications={publications.length} />}
    </>
  )
}

/** `publications` is their total number. */
function BalanceHistory({ versions, publications }: { versions: readonly Version[]; publications: number }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const [chosen, setChosen] = useState('')
  const accounts = versions.at(-1)?.accounts ?? []
  const account = accounts.find(({ origId }) => origId === chosen) ?? accounts[0]
  if (!account) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  const points = versions.flatMap(({ at, accounts: then }) => {
    const balance = then.find(({ origId }) => origId === account.origId)?.actualBalance
    return balance === null || balance === undefined ? [] : [{ at, value: balance }]
  })
  const show = (value: number) => formats.money(value, account.currency)
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {publications > MAX_POINTS ? texts.balancesNewest(MAX_POINTS, publications) : texts.balancesHint}
      </Text>
      <NativeSelect
        label={texts.account}
        value={account.origId}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={accounts.map(({ origId, accountName, accountNumber }) => ({
          value: origId,
          label: (accountName.includes(accountNumber) ? accountName || texts.unnamed : `${accountName} ${accountNumber}`).slice(0, 80),
        }))}
        mb="md"
        maw={420}
      />
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

/** Accounts at each publication; a past one never changes. */
function useVersions(connectionKey: ConnectionKey, moments: readonly string[]): UseQueryResult<Version, Problem>[] {
  return useQueries({
    queries: moments.map((at) => {
      const [path, query] = [dataPath(connectionKey, 'Banking', 'accounts'), { asOf: at }]
      return {
        queryKey: [wholePath(path, query)],
        queryFn: async (): Promise<Version> => ({ at, accounts: (await callWhole<BankAccount>(path, query)).data }),
        staleTime: Number.POSITIVE_INFINITY,
      }
    }),
  })
}
