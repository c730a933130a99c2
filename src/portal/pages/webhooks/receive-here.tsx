import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { NewReceiver, Receiver } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer, isEmptyAnswer } from '../../parts/answers/answer.tsx'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { When } from '../../parts/display/user-text.tsx'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { receiverTexts } from '../../texts/pages/receivers.ts'
import { EventSelect } from './event-select.tsx'
import { WebhookSecret } from './webhook-secret.tsx'

/** Dialog that opens a receiver of this deployment, shows its secret once, and navigates to it. */
export function ReceiveHere({ onClose }: { onClose(): void }) {
  useFocusBack()
  const texts = useTexts(receiverTexts)
  const [, navigate] = useLocation()
  const [made, setMade] = useState<NewReceiver | null>(null)
  const open = useChange<string, NewReceiver>((event) => ({ method: 'POST', path: '/webhooks/receivers', body: { event } }), setMade)
  if (made !== null) return <WebhookSecret secret={made.secret} onClose={() => navigate(`/webhooks/receivers/${made.id}`)} />
  return (
    <Modal opened onClose={onClose} title={texts.hereTitle}>
      <SaveForm
        change={open}
        onSave={(values) => open.mutate(String(values.get('event')))}
        label={texts.open}
        lead={
          <Text size="sm" mb="md">
            {texts.hereLead}
          </Text>
        }
      >
        <EventSelect label={texts.event} isFirst />
      </SaveForm>
    </Modal>
  )
}

/** Receivers of the instance at this deployment. */
export function ReceiversHere() {
  const texts = useTexts(receiverTexts)
  const receivers = useRead<Receiver[]>('/webhooks/receivers', { everyMs: 10_000 })
  if (isEmptyAnswer(receivers, ({ length }) => length === 0)) return null
  return (
    <Section title={texts.section}>
      <Answer read={receivers}>
        {(rows) => (
          <PagedGrid
            page="receivers"
            label={texts.section}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.none, hint: texts.noneHint }}
            columns={[
              { name: texts.event, cell: ({ id, event }) => <Link href={`/webhooks/receivers/${id}`}>{event}</Link> },
              { name: texts.behaviour, cell: ({ behaviour }) => <span className="wrap">{texts.behaviours[behaviour]}</span> },
              { name: texts.arrived, cell: ({ createdOn }) => <When at={createdOn} /> },
            ]}
          />
        )}
      </Answer>
    </Section>
  )
}
