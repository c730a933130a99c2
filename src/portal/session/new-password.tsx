import { Button, PasswordInput, Text, TextInput, Title } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { post } from '../api/session.ts'
import { useLanguage, useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'
import { providerSignInTexts } from '../texts/pages/provider-sign-in.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'

/** Requests a link to set a new password. */
export function ForgottenPassword({ onBack }: { onBack(): void }) {
  const texts = useTexts(newPasswordTexts)
  const words = useTexts(signInTexts)
  const { language } = useLanguage()
  const errors = useErrors()
  const [isSent, setIsSent] = useState(false)
  if (isSent) return <Done title={texts.sentTitle} text={texts.sent} back={texts.back} onBack={onBack} />
  return (
    <EntryForm
      title={texts.title}
      lead={texts.lead}
      button={texts.send}
      errors={errors}
      onSend={async (values) => {
        await post('/auth/forgotten-password', { email: String(values.get('email')), language })
        setIsSent(true)
      }}
      footer={<Back label={texts.back} onBack={onBack} />}
    >
      <TextInput
        name="email"
        type="email"
        label={words.email}
        autoComplete="username"
        required
        withAsterisk={false}
        mb="md"
        data-autofocus
      />
    </EntryForm>
  )
}

interface NewPasswordProps {
  token: string
  /** Somebody is signed in; the link may be for another account. */
  isIn: boolean
  onBack(): void
}

/** Sets a new password by the token of a mailed link. */
export function NewPassword({ token, isIn, onBack }: NewPasswordProps) {
  const texts = useTexts(newPasswordTexts)
  const errors = useErrors()
  const [isSet, setIsSet] = useState(false)
  const back = isIn ? texts.backIn : texts.back
  useEffect(() => {
    document.title = `${texts.setTitle} · Countinghouse`
  }, [texts])
  if (isSet) return <Done title={texts.done} text={texts.doneLead} back={back} onBack={onBack} />
  const send = async (password: string) => {
    await post('/auth/new-password', { token, password })
    setIsSet(true)
  }
  return <NewPasswordForm errors={errors} onPassword={send} footer={<Back label={back} onBack={onBack} />} />
}

interface NewPasswordFormProps {
  errors: Readonly<Record<number, string>>
  onPassword(password: string): Promise<void>
  footer: ReactNode
}

export function NewPasswordForm({ errors, onPassword, footer }: NewPasswordFormProps) {
  const texts = useTexts(newPasswordTexts)
  return (
    <EntryForm
      title={texts.setTitle}
      lead={texts.setLead}
      button={texts.set}
      errors={errors}
      onSend={(values) => onPassword(String(values.get('password')))}
      footer={footer}
    >
      <PasswordInput
        name="password"
        label={texts.password}
        description={texts.passwordHint}
        autoComplete="new-password"
        minLength={8}
        required
        withAsterisk={false}
        mb="md"
      />
    </EntryForm>
  )
}

function useErrors(): Readonly<Record<number, string>> {
  const texts = useTexts(newPasswordTexts)
  const { failures } = useTexts(providerSignInTexts)
  return { 400: texts.bad, 403: failures.passwordsOff, 409: texts.noServer, 429: texts.tooMany }
}

function Back({ label, onBack }: { label: string; onBack(): void }) {
  return (
    <Button variant="default" size="xs" mt="sm" onClick={onBack}>
      {label}
    </Button>
  )
}

function Done({ title, text, back, onBack }: { title: string; text: string; back: string; onBack(): void }) {
  return (
    <div role="status">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text mb="md">{text}</Text>
      <Button variant="default" onClick={onBack}>
        {back}
      </Button>
    </div>
  )
}
