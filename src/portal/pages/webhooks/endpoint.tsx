import { Button, Text } from '@mantine/core'
import { Link, useLocation, useParams } from 'wouter'
import { withQuery } from '../../api/client.ts'
import type { Subscription, SubscriptionSecret } from '../../api/generated/types.ts'
import { forgetReads, useChange, useRead, useRights } from '../../api/reads.ts'
import { PageAnswer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'
import { AUDIT_EVENT } from './event-select.tsx'
import { Replay } from './replay.tsx'
import { Secrets } from './secrets.tsx'
import { State } from './webhooks.tsx'

export function EndpointPage() {
  const { subscriptionId = '' } = useParams()
  const read = useRead<Subscription>(`/webhooks/subscriptions/${encodeURIComponent(subscriptionId)}`)
  return <PageAnswer read={read}>{(subscription) => <EndpointView key={subscription.id} subscription={subscription} />}</PageAnswer>
}

function EndpointView({ subscription }: { subscription: Subscription }) {
  const texts = useTexts(webhookTexts)
  const [, navigate] = useLocation()
  const { mayDevelop, mayReadAudit } = useRights()
  const mayChange = subscription.event === AUDIT_EVENT ? mayReadAudit : mayDevelop
  const path = `/webhooks/subscriptions/${subscription.id}`
  const test = useChange<void>(() => ({ method: 'POST', path: `${path}/test` }))
  const enable = useChange<boolean>((recover) => ({ method: 'POST', path: `${path}/enable`, body: { recover } }))
  const remove = useChange<void>(
    () => ({ method: 'DELETE', path }),
    () => {
      forgetReads(path)
      navigate('/webhooks')
    },
  )
  // Shared with `Secrets`; `Replay` waits for it, so that the layout does not shift.
  const secrets = useRead<SubscriptionSecret[]>(`${path}/secrets`, { enabled: mayChange })
  const isOff = subscription.status === 'disabled'
  const problem = test.error ?? enable.error
  return (
    <Page
      title={subscription.callbackUrl.slice(0, 120)}
      actions={
        mayChange && (
          <>
            {isOff ? <EnableButtons enable={enable} /> : <TestButton test={test} />}
            <Confirm label={texts.remove} title={texts.removeTitle} question={texts.removeQuestion} isDangerous {...remove.toConfirm()} />
          </>
        )
      }
    >
      <p>
        <Link href="/webhooks">{texts.back}</Link> ·{' '}
        <Link href={withQuery('/webhooks/deliveries', { endpoint: subscription.id })}>{texts.see}</Link>
      </p>
      <Text>
        <State subscription={subscription} /> · <UserText>{subscription.event}</UserText> · {texts.since}{' '}
        <Instant at={subscription.createdOn} />
      </Text>
      {subscription.disabledReason && <Text size="sm">{texts.reasons[subscription.disabledReason]}</Text>}
      <Text size="sm" role="status">
        {test.isSuccess ? texts.tested : ''}
      </Text>
      {problem && <ProblemBox problem={problem} />}
      {mayChange && <Secrets path={path} />}
      {mayChange && !secrets.isPending && <Replay path={path} address={subscription.callbackUrl} />}
    </Page>
  )
}

function EnableButtons({ enable }: { enable: ReturnType<typeof useChange<boolean>> }) {
  const texts = useTexts(webhookTexts)
  return (
    <>
      <Confirm
        label={texts.enableRecover}
        title={texts.recoverTitle}
        question={texts.recoverQuestion}
        {...enable.toConfirm(true)}
        button={{ variant: 'filled' }}
      />
      <Button size="xs" variant="default" onClick={() => enable.mutate(false)} loading={enable.isPending}>
        {texts.enable}
      </Button>
    </>
  )
}

function TestButton({ test }: { test: ReturnType<typeof useChange<void>> }) {
  const texts = useTexts(webhookTexts)
  return (
    <Button size="xs" onClick={() => test.mutate()} loading={test.isPending}>
      {texts.test}
    </Button>
  )
}
