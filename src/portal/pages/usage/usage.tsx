import { NativeSelect } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { withQuery } from '../../api/client.ts'
import type { Usage } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Status, useStatusName } from '../../parts/display/status.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { usageTexts } from '../../texts/pages/usage.ts'
import { deliveryTexts } from '../../texts/pages/webhooks.ts'
import { BarChart } from './bar-chart.tsx'
import { OwnQuotas } from './own-quotas.tsx'
import { sumByName, sumByOperation, toDays } from './sums.ts'

const SPANS = [7, 30, 92] as const

export function UsagePage() {
  const texts = useTexts(usageTexts)
  const [params, setParams] = useSearchParams()
  const days = SPANS.find((each) => String(each) === params.get('days')) ?? 30
  const usage = useRead<Usage>(withQuery('/usage', { Days: days }), { everyMs: 10_000, keep: true })
  return (
    <Page title={texts.title} lead={texts.lead}>
      <NativeSelect
        aria-label={texts.days}
        value={String(days)}
        onChange={(event) => setParams({ days: event.currentTarget.value }, { replace: true })}
        data={SPANS.map((each) => ({ value: String(each), label: texts.lastDays(each) }))}
        maw={240}
        mb="md"
      />
      <Answer read={usage} lines={12}>
        {(found) => (
          <>
            <Requests usage={found} />
            <Syncs usage={found} />
            <Deliveries usage={found} />
            <Connections usage={found} />
            <OwnQuotas />
          </>
        )}
      </Answer>
    </Page>
  )
}

function Requests({ usage }: { usage: Usage }) {
  const texts = useTexts(usageTexts)
  const formats = useFormats()
  return (
    <Section title={texts.api}>
      <BarChart label={`${texts.api} ${texts.byDay}`} days={toDays(usage, usage.api)} />
      <PagedGrid
        page="page"
        label={texts.api}
        rows={sumByOperation(usage.api)}
        keyOf={({ operation }) => operation}
        empty={{ title: texts.noneRequests, hint: texts.noneRequestsHint }}
        columns={[
          { name: texts.operation, cell: ({ operation }) => <UserText>{operation}</UserText> },
          { name: texts.requests, isNumber: true, cell: ({ requests }) => formats.number(requests) },
          { name: texts.refused, isNumber: true, cell: ({ refused }) => formats.number(refused) },
          { name: texts.failed, isNumber: true, cell: ({ failed }) => formats.number(failed) },
        ]}
      />
    </Section>
  )
}

function Syncs({ usage }: { usage: Usage }) {
  const texts = useTexts(usageTexts)
  const { states } = useTexts(connectionTexts)
  const names: Record<string, string> = states
  return (
    <Section title={texts.runs}>
      <BarChart label={`${texts.runs} ${texts.byDay}`} days={toDays(usage, usage.runs)} />
      <Counts
        label={texts.runs}
        counts={usage.runs.map(({ state, count }) => ({ name: names[state] ?? state, count }))}
        empty={{ title: texts.noneReads, hint: texts.noneReadsHint }}
      />
    </Section>
  )
}

function Deliveries({ usage }: { usage: Usage }) {
  const texts = useTexts(usageTexts)
  const { statuses } = useTexts(deliveryTexts)
  return (
    <Section title={texts.deliveries}>
      <BarChart label={`${texts.deliveries} ${texts.byDay}`} days={toDays(usage, usage.deliveries)} />
      <Counts
        label={texts.deliveries}
        counts={usage.deliveries.map(({ status, count }) => ({ name: statuses[status], count }))}
        empty={{ title: texts.noneDeliveries, hint: texts.noneDeliveriesHint }}
      />
    </Section>
  )
}

interface CountsProps {
  label: string
  counts: readonly { name: string; count: number }[]
  empty: { title: string; hint: string }
}

function Counts({ label, counts, empty }: CountsProps) {
  const texts = useTexts(usageTexts)
  const formats = useFormats()
  const sums = [...Map.groupBy(counts, ({ name }) => name)].map(([name, all]) => ({
    name,
    count: all.reduce((sum, each) => sum + each.count, 0),
  }))
  return (
    <Grid
      label={label}
      rows={sums}
      keyOf={({ name }) => name}
      empty={empty}
      columns={[
        { name: texts.state, cell: ({ name }) => name },
        { name: texts.count, isNumber: true, cell: ({ count }) => formats.number(count) },
      ]}
    />
  )
}

function Connections({ usage }: { usage: Usage }) {
  const texts = useTexts(usageTexts)
  const formats = useFormats()
  const nameOf = useStatusName()
  return (
    <Section title={texts.connections}>
      <Grid
        label={texts.connections}
        rows={sumByName(usage.connections, nameOf)}
        keyOf={({ statusCode }) => String(statusCode)}
        empty={{ title: texts.noneConnections, hint: texts.noneConnectionsHint }}
        columns={[
          { name: texts.status, cell: ({ statusCode }) => <Status code={statusCode} /> },
          { name: texts.count, isNumber: true, cell: ({ count }) => formats.number(count) },
        ]}
      />
    </Section>
  )
}
