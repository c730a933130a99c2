import { Text } from '@mantine/core'
import { type DeploymentHealth, type SourceHealth, useOperatorRead } from '../api/operator.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { Mark } from '../parts/display/status.tsx'
import { Instant, UserText } from '../parts/display/user-text.tsx'
import { Page, Section } from '../parts/layout/page.tsx'
import { Grid } from '../parts/tables/grid.tsx'
import { useFormats, useTexts } from '../texts/language/language.tsx'
import type { Health } from '../texts/messages/statuses.ts'
import { operatorTexts } from '../texts/pages/operator.ts'
import { usageTexts } from '../texts/pages/usage.ts'

const HEALTH: Record<SourceHealth['breaker'], Health> = { closed: 'good', 'half-open': 'busy', open: 'bad' }

/** Workers, sources and storage of the whole deployment. */
export function OperatorHealth() {
  const texts = useTexts(operatorTexts)
  const health = useOperatorRead<DeploymentHealth>('/deployment/health', { everyMs: 10_000 })
  return (
    <Page title={texts.health} lead={texts.healthLead}>
      <Answer read={health} lines={10}>
        {({ workers, sources, storage }) => (
          <>
            <Sources sources={sources} />
            <Storage storage={storage} workers={workers} />
          </>
        )}
      </Answer>
    </Page>
  )
}

function Sources({ sources }: Pick<DeploymentHealth, 'sources'>) {
  const texts = useTexts(usageTexts)
  const formats = useFormats()
  return (
    <Section title={texts.sources}>
      <Grid
        label={texts.sources}
        rows={sources}
        keyOf={({ key }) => key}
        empty={{ title: texts.noneSources, hint: texts.noneSourcesHint }}
        columns={[
          { name: texts.source, cell: ({ name }) => <UserText>{name}</UserText> },
          { name: texts.state, cell: (source) => <State source={source} /> },
          {
            name: texts.limits,
            cell: ({ limits }) => (
              <span className="wrap">
                {limits.length === 0
                  ? texts.noLimits
                  : limits.map(({ name, remaining }) => formats.named(name, formats.number(remaining))).join(', ')}
              </span>
            ),
          },
        ]}
      />
    </Section>
  )
}

function State({ source }: { source: SourceHealth }) {
  const texts = useTexts(usageTexts)
  if (source.isRefusingKeys) return <Mark health="bad">{texts.keysRefused}</Mark>
  if (source.pausedUntil === null) return <Mark health={HEALTH[source.breaker]}>{texts.breakers[source.breaker]}</Mark>
  return (
    <>
      <Mark health="busy">{texts.pausedUntil}</Mark> <Instant at={source.pausedUntil} />
    </>
  )
}

function Storage({ storage, workers }: Pick<DeploymentHealth, 'storage' | 'workers'>) {
  const texts = useTexts(usageTexts)
  const formats = useFormats()
  return (
    <Section title={texts.storage}>
      <Text mb="sm">
        {formats.named(texts.database, formats.bytes(storage.databaseBytes))} ·{' '}
        {formats.named(texts.workers, texts.workersNow(workers.count, workers.slots))}
      </Text>
      <Grid
        label={texts.storage}
        rows={storage.tables}
        keyOf={({ name }) => name}
        empty={{ title: texts.storage }}
        columns={[
          { name: texts.tableName, cell: ({ name }) => <UserText>{name}</UserText> },
          { name: texts.size, isNumber: true, cell: ({ bytes }) => formats.bytes(bytes) },
        ]}
      />
    </Section>
  )
}
