import { Button, Group, Text } from '@mantine/core'
import type { IdentityProvider, IdentityProviderReport, IdentityProviderState } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Instant } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { identityProviderTexts } from '../../texts/pages/identity-provider.ts'
import { providerSignInTexts } from '../../texts/pages/provider-sign-in.ts'
import { ProviderForm } from './provider-form.tsx'

const PATH = '/identity-provider'

/** The identity provider that members of the instance sign in with. */
export function IdentityProviderPage() {
  const texts = useTexts(identityProviderTexts)
  const state = useRead<IdentityProviderState>(PATH)
  return (
    <PageAnswer read={state}>
      {(known) => (
        <Page title={texts.title} lead={texts.lead}>
          <Addresses state={known} />
          <Section title={texts.settings}>
            <ProviderForm key={known.provider?.updatedOn ?? 'new'} provider={known.provider} />
          </Section>
          {known.provider && <Trial provider={known.provider} signInAddress={known.signInAddress} />}
        </Page>
      )}
    </PageAnswer>
  )
}

/** What has to be entered at the provider. */
function Addresses({ state }: { state: IdentityProviderState }) {
  const texts = useTexts(identityProviderTexts)
  return (
    <Section title={texts.addresses}>
      <Text size="sm" mb="sm" maw={720}>
        {texts.addressesLead}
      </Text>
      <Facts
        facts={[
          { name: texts.redirectUri, value: <Copyable text={state.redirectUri} /> },
          { name: texts.backChannelLogoutUri, value: <Copyable text={state.backChannelLogoutUri} /> },
          { name: texts.postLogoutRedirectUri, value: <Copyable text={state.postLogoutRedirectUri} /> },
          { name: texts.signInAddress, value: <Copyable text={state.signInAddress} /> },
        ]}
      />
    </Section>
  )
}

/** Trying the saved settings, and removing them. */
function Trial({ provider, signInAddress }: { provider: IdentityProvider; signInAddress: string }) {
  const texts = useTexts(identityProviderTexts)
  const words = useTexts(common)
  const check = useChange<null, IdentityProviderReport>(() => ({ method: 'POST', path: `${PATH}/check`, body: {} }))
  const remove = useChange<null>(() => ({ method: 'DELETE', path: PATH }))
  return (
    <Section title={texts.trial}>
      <Text size="sm" mb="sm" maw={720}>
        {texts.trialLead}
      </Text>
      <Text size="sm" mb="sm">
        {provider.triedOn === null ? (
          texts.untried
        ) : (
          <>
            {texts.tried} · <Instant at={provider.triedOn} />
          </>
        )}
      </Text>
      <Group>
        <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate(null)}>
          {texts.check}
        </Button>
        <Button size="xs" variant="default" component="a" href={`${new URL(signInAddress).pathname}?to=/portal/identity-provider`}>
          {texts.tryIt}
        </Button>
        <Confirm label={words.remove} title={texts.removeTitle} question={texts.removeQuestion} isDangerous {...remove.toConfirm(null)} />
      </Group>
      <div role="status">{check.data && <Report report={check.data} />}</div>
      {check.error && <ProblemBox problem={check.error} />}
    </Section>
  )
}

function Report({ report }: { report: IdentityProviderReport }) {
  const texts = useTexts(identityProviderTexts)
  const words = useTexts(common)
  const { failures } = useTexts(providerSignInTexts)
  if (report.fault !== null) return <Text mt="sm">{failures[report.fault]}</Text>
  const say = (isSo: boolean) => (isSo ? words.yes : words.no)
  return (
    <>
      <Facts
        facts={[
          { name: texts.givesRefreshTokens, value: say(report.givesRefreshTokens) },
          { name: texts.announcesLogouts, value: say(report.announcesLogouts) },
          { name: texts.hasLogoutPage, value: say(report.hasLogoutPage) },
        ]}
      />
      {!report.givesRefreshTokens && !report.announcesLogouts && <Text size="sm">{texts.shortSessions}</Text>}
    </>
  )
}
