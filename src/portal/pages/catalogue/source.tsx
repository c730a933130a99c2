import { Button, Group, Text } from '@mantine/core'
import { Link, useParams } from 'wouter'
import type { Source } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { useFormats, useServiceName, useTexts } from '../../texts/language/language.tsx'
import { sourceTexts } from '../../texts/pages/sources.ts'
import { ScheduleSection } from '../connection/schedule.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyTest } from './key-test.tsx'
import { RedirectAddress } from './redirect-address.tsx'

/** Page of one source: its keys, and whether owners are offered it. */
export function SourcePage() {
  const { sourceKey = '' } = useParams()
  const source = useRead<Source>(`/sources/${encodeURIComponent(sourceKey)}`)
  return <PageAnswer read={source}>{(data) => <SourceView key={data.key} source={data} />}</PageAnswer>
}

function SourceView({ source }: { source: Source }) {
  const texts = useTexts(sourceTexts)
  const nameOf = useServiceName()
  const { mayDevelop } = useRights()
  return (
    <Page title={nameOf(source.name)} lead={texts.lead} actions={<Offer source={source} />}>
      <Text size="sm" mb="md">
        <Link href="/catalogue">{texts.back}</Link>
      </Text>
      <SourceFacts source={source} />
      <ScheduleSection path={`/normalized-data/services/${source.serviceId}`} of="service" mayChange={mayDevelop} />
      {source.keys.length > 0 && (
        <>
          <Section title={texts.app}>
            <Text size="sm" mb="sm" maw={720}>
              {texts.appLead} {source.environment === 'sandbox' && texts.sandboxLead}
            </Text>
            {source.tested && <KeyTest source={source} tested={source.tested} />}
            <KeyForm source={source} />
          </Section>
          <Section title={texts.register}>
            <Text size="sm" mb="sm">
              {texts.registerLead}
            </Text>
            <RedirectAddress source={source} />
            <Text size="sm" mt="sm">
              {texts.webhook}
            </Text>
            <Copyable text={source.webhookUrl} />
          </Section>
        </>
      )}
    </Page>
  )
}

function SourceFacts({ source }: { source: Source }) {
  const texts = useTexts(sourceTexts)
  const formats = useFormats()
  return (
    <Facts
      facts={[
        {
          name: texts.state,
          value: <Mark health={source.isEnabled ? 'good' : 'idle'}>{source.closedBy ? texts.closedBy[source.closedBy] : texts.open}</Mark>,
        },
        { name: texts.whose, value: texts.keysFrom[source.keysFrom] },
        {
          name: texts.connections,
          value: (
            <>
              {formats.number(source.connections)}
              {source.connectionsOfOtherApps > 0 && <Text size="sm">{texts.others(source.connectionsOfOtherApps)}</Text>}
            </>
          ),
        },
      ]}
    />
  )
}

function Offer({ source }: { source: Source }) {
  const texts = useTexts(sourceTexts)
  const change = useChange<boolean>((isHidden) => ({ method: 'PUT', path: `/sources/${source.key}`, body: { isHidden } }))
  if (!source.isHidden) {
    return <Confirm label={texts.hide} title={texts.hide} question={texts.hideQuestion} {...change.toConfirm(true)} />
  }
  return (
    <Group>
      {change.error && <ProblemBox problem={change.error} />}
      <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate(false)}>
        {texts.show}
      </Button>
    </Group>
  )
}
