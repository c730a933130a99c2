import { Button, Modal, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { NewSubscription, Subscription } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { useDialog, useFocusBack } from '../../parts/dialogs/dialog.ts'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { receiverTexts } from '../../texts/pages/receivers.ts'
import { webhookTexts } from '../../texts/pages/webhooks.ts'
import { EventSelect } from './event-select.tsx'
import { ReceiveHere, ReceiversHere } from './receive-here.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

export function WebhooksPage() {
  const texts = useTexts(webhookTexts)
  const here = useTexts(receiverTexts)
  const [isAdding, adding] = useDialog('add')
  const [isReceiving, receiving] = useDialog('receive')
  const { mayDevelop } = useRights()
  const subscriptions = useRead<Subscription[]>('/webhooks/subscriptions', { everyMs: 10_000 })
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        mayDevelop && (
          <>
            <Button onClick={adding.open}>{texts.add}</Button>
            <Button variant="default" onClick={receiving.open}>
              {here.here}
            </Button>
          </>
        )
      }
    >
      <Answer read={subscriptions}>
        {(rows) => (
          <PagedGrid
            page="page"
            label={texts.title}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.none, hint: texts.noneHint }}
            columns={[
              {
                name: texts.address,
                cell: ({ id, callbackUrl }) => (
                  <Link href={`/webhooks/${id}`}>
                    <UserText most={120}>{callbackUrl}</UserText>
                  </Link>
                ),
              },
              { name: texts.event, cell: ({ event }) => event },
              { name: texts.state, cell: (subscription) => <State subscription={subscription} /> },
              { name: texts.since, cell: ({ createdOn }) => <When at={createdOn} /> },
            ]}
          />
        )}
      </Answer>
      {!subscriptions.isPending && <ReceiversHere />}
      {isAdding && <Adding onClose={adding.close} />}
      {isReceiving && <ReceiveHere onClose={receiving.close} />}
    </Page>
  )
}

export function State({ subscription }: { subscription: Subscription }) {
  const texts = useTexts(webhookTexts)
  if (subscription.status === 'disabled') return <Mark health="bad">{texts.disabled}</Mark>
  return subscription.failingSince ? <Mark health="busy">{texts.failing}</Mark> : <Mark health="good">{texts.active}</Mark>
}

function Adding({ onClose }: { onClose(): void }) {
  useFocusBack()
  const texts = useTexts(webhookTexts)
  const words = useTexts(common)
  const { mayReadAudit } = useRights()
  const [secret, setSecret] = useState<string | null>(null)
  const add = useChange<{ event: string; callbackUrl: string }, NewSubscription>(
    ({ event, callbackUrl }) => ({ method: 'POST', path: `/webhooks/subscriptions/${event}`, body: { callbackUrl } }),
    (made) => setSecret(made.secret),
  )
  if (secret !== null) return <WebhookSecret secret={secret} onClose={onClose} />
  const save = (given: FormData) => add.mutate({ event: String(given.get('event')), callbackUrl: String(given.get('callbackUrl')).trim() })
  return (
    <Modal opened onClose={onClose} title={texts.add}>
      <SaveForm change={add} onSave={save} label={words.create}>
        <EventSelect label={texts.event} hasAudit={mayReadAudit} />
        <TextInput
          name="callbackUrl"
          type="url"
          label={texts.address}
          placeholder="https://example.com/events"
          maxLength={2048}
          required
          mb="sm"
        />
      </SaveForm>
    </Modal>
  )
}
