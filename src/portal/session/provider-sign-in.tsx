import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SignInOption } from '../api/generated/types.ts'
import { findSignIn } from '../api/session.ts'
import { useTexts } from '../texts/language/language.tsx'
import { providerSignInTexts } from '../texts/pages/provider-sign-in.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'

interface ProviderSignInProps {
  /** Why a sign-in has just failed; null: none has. */
  failure: string | null
  onBack(): void
}

/** Sign-in with the identity provider of an instance: finds it, names it, and goes there. */
export function ProviderSignIn({ failure, onBack }: ProviderSignInProps) {
  const texts = useTexts(providerSignInTexts)
  const words = useTexts(signInTexts)
  const [place, setPlace] = useState<SignInOption | null>(null)
  const address = place?.address ?? null
  const back = (
    <Group mt="sm">
      <Button variant="default" size="xs" onClick={address === null ? onBack : () => setPlace(null)}>
        {words.back}
      </Button>
    </Group>
  )
  if (place && address !== null)
    return (
      <EntryForm
        key="go"
        title={texts.goTitle}
        lead={texts.goLead(place.instanceName ?? '', place.host ?? '')}
        isNext
        button={texts.go}
        errors={{}}
        onSend={async () => location.assign(`${address}?${new URLSearchParams({ to: `${location.pathname}${location.search}` })}`)}
        footer={back}
      >
        {null}
      </EntryForm>
    )
  return (
    <EntryForm
      key="find"
      title={texts.title}
      lead={texts.lead}
      isNext
      button={texts.next}
      errors={{ 429: words.tooMany }}
      onSend={async (values) => setPlace(await findSignIn(String(values.get('account'))))}
      footer={back}
    >
      {place === null && failure !== null && <Notice text={textOf(texts.failures, failure) ?? texts.failed} />}
      {place && <Notice text={texts.unknown} />}
      <TextInput
        name="account"
        label={texts.account}
        description={texts.accountHint}
        autoComplete="username"
        required
        withAsterisk={false}
        maxLength={320}
        mb="md"
      />
    </EntryForm>
  )
}

function Notice({ text }: { text: string }) {
  return (
    <Alert color="red" variant="outline" role="alert" mb="sm" className="problem">
      {text}
    </Alert>
  )
}

function textOf(texts: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined
}
