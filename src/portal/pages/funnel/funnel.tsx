import { withQuery } from '../../api/client.ts'
import type { Funnel, FunnelCount } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useFormats, useServiceName, useTexts } from '../../texts/language/language.tsx'
import { funnelTexts } from '../../texts/pages/funnel.ts'
import { FunnelFilter, nameFraming, useFunnelFilter } from './funnel-filter.tsx'
import { STEPS, type StepSums, shareOf, sumGroups, sumSteps } from './steps.ts'

export function FunnelPage() {
  const texts = useTexts(funnelTexts)
  const formats = useFormats()
  const nameOf = useServiceName()
  const filter = useFunnelFilter()
  const funnel = useRead<Funnel>(withQuery('/usage/funnel', { From: filter.from, To: filter.to }), { everyMs: 10_000, keep: true })
  const names = new Map((funnel.data?.counts ?? []).map(({ source, sourceName }) => [source, nameOf(sourceName)]))
  const sources = [...names].map(([value, label]) => ({ value, label })).toSorted((a, b) => a.label.localeCompare(b.label))
  return (
    <Page title={texts.title} lead={texts.lead}>
      <FunnelFilter {...filter} sources={sources} />
      <Answer read={funnel} lines={12}>
        {({ from, to, counts }) => {
          const fitting = counts.filter(filter.fits)
          const empty = counts.length === 0 ? { title: texts.none, hint: texts.noneHint } : { title: texts.noneFound }
          return (
            <>
              <Steps title={texts.range(formats.day(from), formats.day(to))} counts={fitting} empty={empty} />
              {fitting.length > 0 && <Breakdowns counts={fitting} nameOf={(source) => names.get(source) ?? source} />}
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

/** All links together, step by step. */
function Steps({ title, counts, empty }: { title: string; counts: readonly FunnelCount[]; empty: { title: string; hint?: string } }) {
  const texts = useTexts(funnelTexts)
  const formats = useFormats()
  const sums = sumSteps(counts)
  return (
    <Section title={title}>
      <Grid
        label={title}
        rows={counts.length === 0 ? [] : STEPS}
        keyOf={(step) => step}
        empty={empty}
        columns={[
          { name: texts.step, cell: (step) => texts.steps[step] },
          { name: texts.links, isNumber: true, cell: (step) => formats.number(sums[step]) },
          {
            name: texts.share,
            cell: (step) => (
              <>
                {formats.percent(shareOf(sums, step))}
                <Bar share={shareOf(sums, step)} />
              </>
            ),
          },
        ]}
      />
    </Section>
  )
}

/** The number is shown beside it. */
function Bar({ share }: { share: number }) {
  return (
    <svg className="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect className="one-bar" width={share * 100} height="8" />
    </svg>
  )
}

function Breakdowns({ counts, nameOf }: { counts: readonly FunnelCount[]; nameOf(source: string): string }) {
  const texts = useTexts(funnelTexts)
  const formats = useFormats()
  const mostFirst = (a: Row, b: Row) => b.sums.opened - a.sums.opened
  const bySource = sumGroups(counts, ({ source }) => source).map(({ group, sums }) => ({ name: nameOf(group), sums }))
  const byLanguage = sumGroups(counts, ({ language }) => texts.languages[language])
  const byPlace = sumGroups(counts, ({ isFramed }) => texts.places[nameFraming(isFramed)])
  const byDay = sumGroups(counts, ({ day }) => day).toSorted((a, b) => b.group.localeCompare(a.group))
  const named = (groups: ReturnType<typeof sumGroups>) => groups.map(({ group, sums }) => ({ name: group, sums }))
  return (
    <>
      <Breakdown title={texts.bySource} column={texts.source} page="sources" rows={bySource.toSorted(mostFirst)} />
      <Breakdown title={texts.byLanguage} column={texts.language} page="languages" rows={named(byLanguage).toSorted(mostFirst)} />
      <Breakdown title={texts.byPlace} column={texts.place} page="places" rows={named(byPlace).toSorted(mostFirst)} />
      <Breakdown
        title={texts.byDay}
        column={texts.day}
        page="days"
        rows={byDay.map(({ group, sums }) => ({ name: formats.day(group), sums }))}
      />
    </>
  )
}

interface Row {
  name: string
  sums: StepSums
}

function Breakdown({ title, column, page, rows }: { title: string; column: string; page: string; rows: readonly Row[] }) {
  const texts = useTexts(funnelTexts)
  const formats = useFormats()
  return (
    <Section title={title}>
      <PagedGrid
        page={page}
        label={title}
        rows={rows}
        keyOf={({ name }) => name}
        empty={{ title: texts.noneFound }}
        columns={[
          { name: column, cell: ({ name }) => <UserText>{name}</UserText> },
          ...STEPS.map((step) => ({
            name: texts.steps[step],
            isNumber: true,
            cell: ({ sums }: Row) =>
              step === 'connected'
                ? `${formats.number(sums.connected)} (${formats.percent(shareOf(sums, 'connected'))})`
                : formats.number(sums[step]),
          })),
        ]}
      />
    </Section>
  )
}
