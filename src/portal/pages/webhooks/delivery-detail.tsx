import { Modal, Text, Title } from '@mantine/core'
import type { Delivery, Event } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { ApiText } from '../../parts/display/api-text.tsx'
import { LongText } from '../../parts/display/long-text.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { reasonInFrench } from '../../texts/messages/reasons.ts'
import { deliveryTexts } from '../../texts/pages/webhooks.ts'

/** Delivery: the body, and the response to each attempt. */
export function DeliveryDetail({ delivery, address, onClose }: { delivery: Delivery; address: string; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(deliveryTexts)
  const formats = useFormats()
  const event = useRead<Event>(`/webhooks/events/${delivery.eventId}`)
  return (
    <Modal opened onClose={onClose} title={delivery.kind} size="xl">
      <Title order={3} size="h5">
        {texts.request}
      </Title>
      <Text size="sm">
        POST <UserText most={300}>{address}</UserText>
      </Text>
      <Answer read={event} lines={5}>
        {(body) => <LongText text={JSON.stringify(body, null, 2)} />}
      </Answer>
      {delivery.attempts.map(({ number, startedAt, durationMs, httpStatus, error, response }) => (
        <div key={number} className="section">
          <Title order={3} size="h5">
            {texts.attempt(number)} · {httpStatus ?? texts.noAnswer}
          </Title>
          <Text size="sm">
            <Instant at={startedAt} /> · {formats.duration(durationMs)}{' '}
            {error && <ApiText text={error} french={reasonInFrench} most={300} />}
          </Text>
          {response !== '' && <LongText text={response} />}
        </div>
      ))}
    </Modal>
  )
}
