import { Button, Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { BeginPasskeyLoginResponse } from '../api/generated/types.ts'
import { Problem } from '../api/problem.ts'
import { completeSignIn, post, signIn } from '../api/session.ts'
import { useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryLayout } from './entry-layout.tsx'
import { ForgottenPassword } from './new-password.tsx'
import { ProviderSignIn } from './provider-sign-in.tsx'
import { SecondStepForm } from './second-step-form.tsx'

/**
 * Sign-in page: address and password, then the second step where the account has one; or the identity provider.
 * `failure`: why a sign-in there has just failed.
 */
export function SignIn({ failure }: { failure: string | null }) {
  const texts = useTexts(signInTexts)
  const [challenge, setChallenge] = useState<string | null>(null)
  const [isForgotten, setIsForgotten] = useState(false)
  /** Why the company sign-in is shown: a failure there, that a password is of no use, or a wish (empty); null: it is not shown. */
  const [elsewhere, setElsewhere] = useState(failure)
  useEffect(() => {
    document.title = `${texts.title} · Countinghouse`
  }, [texts])
  return (
    <EntryLayout>
      {isForgotten ? (
        <ForgottenPassword onBack={() => setIsForgotten(false)} />
      ) : elsewhere !== null ? (
        <ProviderSignIn failure={elsewhere || null} onBack={() => setElsewhere(null)} />
      ) : challenge === null ? (
        <FirstStep onChallenge={setChallenge} onForgotten={() => setIsForgotten(true)} onElsewhere={setElsewhere} />
      ) : (
        <SecondStep challenge={challenge} onBack={() => setChallenge(null)} />
      )}
    </EntryLayout>
  )
}

interface FirstStepProps {
  onChallenge(challenge: string): void
  onForgotten(): void
  onElsewhere(reason: string): void
}

function FirstStep({ onChallenge, onForgotten, onElsewhere }: FirstStepProps) {
  const texts = useTexts(signInTexts)
  const resets = useTexts(newPasswordTexts)
  const send = async (values: FormData) => {
    try {
      const challenge = await signIn(String(values.get('email')), String(values.get('password')))
      if (challenge !== null) onChallenge(challenge)
    } catch (error) {
      if (!isOfProvider(error)) throw error
      onElsewhere('passwordsOff')
    }
  }
  return (
    <EntryForm
      title={texts.title}
      lead={texts.lead}
      button={texts.enter}
      errors={{ 400: texts.wrong, 401: texts.wrong, 429: texts.tooMany }}
      onSend={send}
      footer={
        <>
          <Group mt="sm" gap="xs">
            <Button variant="default" size="xs" onClick={() => onElsewhere('')}>
              {texts.withProvider}
            </Button>
            <Button variant="default" size="xs" onClick={onForgotten}>
              {resets.forgotten}
            </Button>
          </Group>
          <Text size="xs" c="dimmed" mt="md">
            {texts.help}
          </Text>
        </>
      }
    >
      <TextInput name="email" type="email" label={texts.email} autoComplete="username" required withAsterisk={false} mb="sm" />
      <PasswordInput name="password" label={texts.password} autoComplete="current-password" required withAsterisk={false} mb="md" />
    </EntryForm>
  )
}

/** Whether a password was refused because the instance requires its identity provider. */
function isOfProvider(error: unknown): boolean {
  return error instanceof Problem && error.status === 403 && error.message.includes('identity provider')
}

function SecondStep({ challenge, onBack }: { challenge: string; onBack(): void }) {
  return (
    <SecondStepForm
      onOffer={() => post<BeginPasskeyLoginResponse>('/auth/two-step/passkey', {}, challenge)}
      onProof={(proof) => completeSignIn(challenge, proof)}
      onBack={onBack}
    />
  )
}
