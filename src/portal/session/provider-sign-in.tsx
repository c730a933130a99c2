import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { SignInOption } from '../api/generated/types.ts'
import { findSignIn, type PendingSignIn as Wanted } from '../api/session.ts'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { providerSignInTexts } from '../texts/pages/provider-sign-in.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryLayout } from './entry-layout.tsx'

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
  if (place && place.address !== null)
    return <ProviderForm place={place} address={place.address} wanted={null} onBack={() => setPlace(null)} />
  return (
    <EntryForm
      key="find"
      title={texts.title}
      lead={texts.lead}
      isNext
      button={texts.next}
      errors={{ 429: words.tooMany }}
      onSend={async (values) => setPlace(await findSignIn(String(values.get('account'))))}
      footer={<Back onBack={onBack} />}
    >
      {place === null && failure !== null && <SignInFailure code={failure} />}
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

interface PendingSignInProps {
  wanted: Wanted
  onBack(): void
}

/** Page that asks, before a sign-in goes on that another site has begun. */
export function PendingSignIn({ wanted, onBack }: PendingSignInProps) {
  const texts = useTexts(providerSignInTexts)
  const [place, setPlace] = useState<SignInOption | 'unknown' | 'failed' | null>(null)
  useEffect(() => {
    document.title = `${texts.goTitle} · Countinghouse`
  }, [texts])
  useEffect(() => {
    findSignIn(wanted.instanceId).then(
      (found) => setPlace(found.address === null ? 'unknown' : found),
      () => setPlace('failed'),
    )
  }, [wanted])
  if (place === null) return null
  return (
    <EntryLayout>
      {typeof place === 'object' && place.address !== null ? (
        <ProviderForm place={place} address={place.address} wanted={wanted} onBack={onBack} />
      ) : (
        <ProviderSignIn failure={place === 'unknown' ? 'notSet' : 'failed'} onBack={onBack} />
      )}
    </EntryLayout>
  )
}

interface SignInProps {
  place: SignInOption
  address: string
  /** Null: the person has asked for it. */
  wanted: Wanted | null
  onBack(): void
}

/** Names the provider, and leads there. */
function ProviderForm({ place, address, wanted, onBack }: SignInProps) {
  const texts = useTexts(providerSignInTexts)
  const hint = wanted?.loginHint ?? null
  const query = new URLSearchParams({ to: `${location.pathname}${location.search}`, ...(hint === null ? {} : { login_hint: hint }) })
  return (
    <EntryForm
      key="go"
      title={texts.goTitle}
      lead={texts.goLead(place.instanceName ?? '', place.host ?? '')}
      isNext
      button={texts.go}
      errors={{}}
      onSend={async () => location.assign(`${address}?${query}`)}
      footer={<Back onBack={onBack} />}
    >
      {wanted && <Text mb="md">{texts.wanted}</Text>}
    </EntryForm>
  )
}

function Back({ onBack }: { onBack(): void }) {
  const words = useTexts(signInTexts)
  return (
    <Group mt="sm">
      <Button variant="default" size="xs" onClick={onBack}>
        {words.back}
      </Button>
    </Group>
  )
}

/** Why a sign-in with the identity provider has failed. `onClose`: it can be closed. */
export function SignInFailure({ code, onClose }: { code: string; onClose?: () => void }) {
  const texts = useTexts(providerSignInTexts)
  return <Notice text={textOf(texts.failures, code) ?? texts.failed} {...(onClose ? { onClose } : {})} />
}

function Notice({ text, onClose }: { text: string; onClose?: () => void }) {
  const words = useTexts(common)
  const closing = onClose ? { withCloseButton: true, closeButtonLabel: words.close, onClose } : {}
  return (
    <Alert color="red" variant="outline" role="alert" mb="sm" className="problem" {...closing}>
      {text}
    </Alert>
  )
}

function textOf(texts: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined
}
