import { Button, Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { completeSignIn, signIn } from '../api/session.ts'
import { useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryLayout } from './entry-layout.tsx'
import { ForgottenPassword } from './new-password.tsx'

/** Sign-in page: address and password, then the second step where the account has one. */
export function SignIn() {
  const texts = useTexts(signInTexts)
  const [challenge, setChallenge] = useState<string | null>(null)
  const [isForgotten, setIsForgotten] = useState(false)
  useEffect(() => {
    document.title = `${texts.title} · Countinghouse`
  }, [texts])
  return (
    <EntryLayout>
      {isForgotten ? (
        <ForgottenPassword onBack={() => setIsForgotten(false)} />
      ) : challenge === null ? (
        <FirstStep onChallenge={setChallenge} onForgotten={() => setIsForgotten(true)} />
      ) : (
        <SecondStep challenge={challenge} onBack={() => setChallenge(null)} />
      )}
    </EntryLayout>
  )
}

function FirstStep({ onChallenge, onForgotten }: { onChallenge(challenge: string): void; onForgotten(): void }) {
  const texts = useTexts(signInTexts)
  const resets = useTexts(newPasswordTexts)
  const send = async (values: FormData) => {
    const challenge = await signIn(String(values.get('email')), String(values.get('password')))
    if (challenge !== null) onChallenge(challenge)
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
          <Button variant="default" size="xs" mt="sm" onClick={onForgotten}>
            {resets.forgotten}
          </Button>
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

function SecondStep({ challenge, onBack }: { challenge: string; onBack(): void }) {
  const texts = useTexts(signInTexts)
  const [isRecovery, setIsRecovery] = useState(false)
  const send = async (values: FormData) => {
    const proof = String(values.get('proof')).trim()
    await completeSignIn(challenge, isRecovery ? { recoveryCode: proof } : { code: proof.replaceAll(' ', '') })
  }
  return (
    <EntryForm
      title={texts.secondTitle}
      lead={isRecovery ? texts.recoveryLead : texts.secondLead}
      isNext
      button={texts.confirm}
      errors={{ 400: texts.wrongCode, 401: texts.wrongCode, 429: texts.tooMany }}
      onSend={send}
      footer={
        <Group mt="sm" gap="xs">
          <Button variant="default" size="xs" onClick={() => setIsRecovery(!isRecovery)}>
            {isRecovery ? texts.useCode : texts.useRecovery}
          </Button>
          <Button variant="default" size="xs" onClick={onBack}>
            {texts.back}
          </Button>
        </Group>
      }
    >
      <TextInput
        key={String(isRecovery)}
        name="proof"
        label={isRecovery ? texts.recovery : texts.code}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        required
        withAsterisk={false}
        mb="md"
      />
    </EntryForm>
  )
}
