import { Modal, Text, Title } from '@mantine/core'
import type { ReceivedRequest, WholeRequest } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { Copyable } from '../../parts/display/copy.tsx'
import { LongText } from '../../parts/display/long-text.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { receiverTexts } from '../../texts/pages/receivers.ts'

/** Shell commands that compute the signature; the secret is in $SECRET, so that it is in no history. */
const SHELL = [
  'KEY=$(printf %s "$SECRET" | sed "s/^whsec_//" | base64 -d | od -An -v -tx1 | tr -d " \\n")',
  '{ printf "%s.%s." "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } | openssl dgst -sha256 -mac HMAC -macopt hexkey:$KEY -binary | base64',
].join('\n')

/** Received request, and each step of its verification with the result. */
export function RequestDetail({ path, request, onClose }: { path: string; request: ReceivedRequest; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(receiverTexts)
  const whole = useRead<WholeRequest>(`${path}/requests/${request.id}`)
  const { checks, headers } = request
  const steps: [string, boolean | null][] = [
    [texts.step.raw, null],
    [texts.step.time, checks.timestamp],
    [texts.step.sign, null],
    [texts.step.compare, checks.headers],
    [texts.step.once, null],
    [texts.step.inside, checks.body],
  ]
  return (
    <Modal opened onClose={onClose} title={headers['webhook-id'] ?? texts.requests} size="xl">
      <Text size="sm">
        <Instant at={request.receivedOn} /> · {texts.answered} {request.answered}
      </Text>
      <Title order={3} size="h5" mt="sm">
        {texts.steps}
      </Title>
      <ol className="steps">
        {steps.map(([step, holds]) => (
          <li key={step}>
            {step} {holds !== null && <Mark health={holds ? 'good' : 'bad'}>{holds ? texts.done : texts.broken}</Mark>}
          </li>
        ))}
      </ol>
      <Title order={3} size="h5">
        {texts.try}
      </Title>
      <Copyable text={SHELL} />
      <Title order={3} size="h5" mt="sm">
        {texts.headers}
      </Title>
      <dl className="headers">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <UserText most={400}>{value}</UserText>
            </dd>
          </div>
        ))}
      </dl>
      <Title order={3} size="h5">
        {texts.body}
      </Title>
      <Answer read={whole} lines={5}>
        {({ body }) => <LongText text={body} />}
      </Answer>
    </Modal>
  )
}
