import { Button, Group, Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../api/client.ts'
import type { PasskeyRequest, SessionProof, Whoami } from '../api/generated/types.ts'
import { askPasskey } from '../api/passkeys.ts'
import { Problem } from '../api/problem.ts'
import { settleProof } from '../api/proof.ts'
import { useRead } from '../api/reads.ts'
import { type GivenProof, prove, toSecondStep } from '../api/session.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { ProblemBox } from '../parts/answers/problem-box.tsx'
import { useFocusBack } from '../parts/dialogs/dialog.ts'
import { Fields } from '../parts/forms/fields.tsx'
import { onSubmit } from '../parts/forms/save-form.tsx'
import { passkeyTexts } from '../texts/account/passkeys.ts'
import { proofTexts } from '../texts/account/proof.ts'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'

/** The change that asks for a proof may itself be made in a dialog. */
export const ABOVE_DIALOGS = 300

/** Asks for a proof of who the user is. */
export function ProofDialog() {
  useFocusBack()
  const texts = useTexts(proofTexts)
  const proof = useRead<SessionProof>('/auth/proof')
  // Opened with its fields, so that the first one has the focus.
  if (proof.isPending) return null
  return (
    <Modal opened onClose={() => settleProof(false)} title={texts.title} closeOnClickOutside={false} zIndex={ABOVE_DIALOGS}>
      <Answer read={proof} lines={3}>
        {(known) =>
          known.way === 'provider' ? (
            <Provider />
          ) : (
            <ProofForm
              lead={known.twoStepVerify ? texts.leadTwoStep : texts.lead}
              hasSecondStep={known.twoStepVerify}
              hasPasskey={known.hasPasskey}
              onOffer={() => call<PasskeyRequest>('/auth/proof/passkey', { method: 'POST', body: {} })}
              onProof={prove}
            />
          )
        }
      </Answer>
    </Modal>
  )
}

interface ProofFormProps {
  lead: string
  hasSecondStep: boolean
  hasPasskey: boolean
  /** Options for a passkey; throws a `Problem`. */
  onOffer(): Promise<PasskeyRequest>
  /** Throws a `Problem`. */
  onProof(given: GivenProof): Promise<void>
}

/** Password and second step, or a passkey; ends the dialog once they are right. */
export function ProofForm({ lead, hasSecondStep, hasPasskey, onOffer, onProof }: ProofFormProps) {
  const texts = useTexts(proofTexts)
  const words = useTexts(common)
  const passkeys = useTexts(passkeyTexts)
  const [isSending, setIsSending] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const send = async (toProof: () => Promise<GivenProof>) => {
    setIsSending(true)
    setProblem(null)
    try {
      await onProof(await toProof())
      settleProof(true)
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
      setIsSending(false)
    }
  }
  const submit = (values: FormData) => {
    const second = hasSecondStep ? toSecondStep(String(values.get('proof'))) : {}
    void send(async () => ({ password: String(values.get('password')), ...second }))
  }
  return (
    <form onSubmit={onSubmit(submit)}>
      <Text size="sm" mb="sm">
        {lead}
      </Text>
      {hasPasskey && (
        <Button
          fullWidth
          mb="md"
          loading={isSending}
          onClick={() => void send(async () => ({ passkey: await askPasskey(await onOffer()) }))}
        >
          {passkeys.use}
        </Button>
      )}
      <Fields isSending={isSending}>
        <PasswordInput
          name="password"
          label={texts.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          mb="sm"
        />
        {hasSecondStep && <TextInput name="proof" label={texts.code} autoComplete="one-time-code" required withAsterisk={false} mb="sm" />}
      </Fields>
      {problem && <ProblemBox problem={problem} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => settleProof(false)}>
          {words.cancel}
        </Button>
        <Button type="submit" loading={isSending}>
          {texts.confirm}
        </Button>
      </Group>
    </form>
  )
}

/** Members who sign in elsewhere prove themselves by doing so again. */
function Provider() {
  const texts = useTexts(proofTexts)
  const words = useTexts(common)
  const me = useRead<Whoami>('/auth/me')
  const again = () => {
    const query = new URLSearchParams({ fresh: 'true', to: `${location.pathname}${location.search}` })
    location.assign(`/sign-in/${me.data?.instanceId}?${query}`)
  }
  return (
    <>
      <Text size="sm">{texts.provider}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => settleProof(false)} data-autofocus>
          {words.close}
        </Button>
        <Button disabled={!me.data} onClick={again}>
          {texts.again}
        </Button>
      </Group>
    </>
  )
}
