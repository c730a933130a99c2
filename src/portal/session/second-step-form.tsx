import { Button, Group, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { PasskeyRequest } from '../api/generated/types.ts'
import { askPasskey } from '../api/passkeys.ts'
import type { SecondStep } from '../api/session.ts'
import { passkeyTexts } from '../texts/account/passkeys.ts'
import { useTexts } from '../texts/language/language.tsx'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'

interface PasskeyOffer {
  /** Null: the account has no passkey. */
  options: PasskeyRequest | null
  /** Whether a code of an authenticator app would do as well. */
  hasApp: boolean
}

interface SecondStepProps {
  /** Throws a `Problem`. */
  onOffer(): Promise<PasskeyOffer>
  /** Throws a `Problem`. */
  onProof(proof: SecondStep): Promise<void>
  onBack(): void
}

/** Second step of a sign-in: a passkey, a code of the authenticator app, or a recovery code. */
export function SecondStepForm({ onOffer, onProof, onBack }: SecondStepProps) {
  const texts = useTexts(signInTexts)
  const passkeys = useTexts(passkeyTexts)
  const [isRecovery, setIsRecovery] = useState(false)
  const { offer, hasApp, take } = useOffer(onOffer)
  const usesCode = hasApp && !isRecovery
  const usePasskey = async () => await onProof({ passkey: await askPasskey(await take()) })
  const send = async (values: FormData) => {
    const proof = String(values.get('proof')).trim()
    await onProof(usesCode ? { code: proof.replaceAll(' ', '') } : { recoveryCode: proof })
  }
  return (
    <EntryForm
      title={texts.secondTitle}
      lead={usesCode ? texts.secondLead : texts.recoveryLead}
      isNext
      button={texts.confirm}
      errors={{ 400: texts.wrongCode, 401: texts.wrongCode, 429: texts.tooMany }}
      onSend={send}
      {...(offer?.options ? { instead: { label: passkeys.use, onSend: usePasskey } } : {})}
      footer={
        <Group mt="sm" gap="xs">
          {hasApp && (
            <Button variant="default" size="xs" onClick={() => setIsRecovery(!isRecovery)}>
              {isRecovery ? texts.useCode : texts.useRecovery}
            </Button>
          )}
          <Button variant="default" size="xs" onClick={onBack}>
            {texts.back}
          </Button>
        </Group>
      }
    >
      <TextInput
        key={String(usesCode)}
        name="proof"
        label={usesCode ? texts.code : texts.recovery}
        autoComplete="one-time-code"
        inputMode={usesCode ? 'numeric' : 'text'}
        required
        withAsterisk={false}
        mb="md"
      />
    </EntryForm>
  )
}

/** Options for a passkey, fetched at once to learn whether there is one, and again for each further try: they work once. */
function useOffer(onOffer: SecondStepProps['onOffer']) {
  const [offer, setOffer] = useState<PasskeyOffer | null>(null)
  const fresh = useRef<PasskeyRequest | null>(null)
  const ask = useRef(onOffer)
  useEffect(() => {
    ask.current().then(
      (found) => {
        fresh.current = found.options
        setOffer(found)
      },
      () => undefined,
    )
  }, [])
  const take = async () => {
    const options = fresh.current ?? (await ask.current()).options
    fresh.current = null
    if (options === null) throw new Error('an account without a passkey was asked for one')
    return options
  }
  return { offer, hasApp: offer?.hasApp ?? true, take }
}
