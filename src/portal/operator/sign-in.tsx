import { Button, Code, Group, PasswordInput, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { PasskeyRequest } from '../api/generated/types.ts'
import { callOperator } from '../api/operator.ts'
import type { Problem } from '../api/problem.ts'
import type { SecondStep as SecondStepProof } from '../api/session.ts'
import { CopyButton } from '../parts/display/copy.tsx'
import { Qr } from '../parts/display/qr.tsx'
import { PasskeyForm } from '../parts/passkeys.tsx'
import { EntryForm } from '../session/entry-form.tsx'
import { SecondStepForm } from '../session/second-step-form.tsx'
import { accountTexts } from '../texts/account/account.ts'
import { useTexts } from '../texts/language/language.tsx'
import { operatorTexts } from '../texts/pages/operator.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { addPasskey } from './account.tsx'

/** Address and password of an operator. */
export function SignIn({ onDone }: { onDone(): void }) {
  const texts = useTexts(operatorTexts)
  const words = useTexts(signInTexts)
  useTitle(words.title)
  return (
    <EntryForm
      title={words.title}
      lead={texts.signInLead}
      button={words.enter}
      errors={{ 400: words.wrong, 401: words.wrong, 429: words.tooMany }}
      onSend={async (values) => {
        const body = { email: String(values.get('email')), password: String(values.get('password')), keep: 'cookie' }
        await callOperator('/sign-in', { method: 'POST', body })
        onDone()
      }}
      footer={
        <Text size="xs" c="dimmed" mt="md">
          {texts.signInHelp}
        </Text>
      }
    >
      <TextInput name="email" type="email" label={words.email} autoComplete="username" required withAsterisk={false} mb="sm" />
      <PasswordInput name="password" label={words.password} autoComplete="current-password" required withAsterisk={false} mb="md" />
    </EntryForm>
  )
}

/** Passkey, code of the authenticator app, or a recovery code. */
export function SecondStep({ onDone, onBack }: { onDone(): void; onBack(): void }) {
  const words = useTexts(signInTexts)
  useTitle(words.secondTitle)
  const offer = () => callOperator<{ options: PasskeyRequest | null; hasApp: boolean }>('/sign-in/second-step/passkey', { method: 'POST' })
  const prove = async (proof: SecondStepProof) => {
    await callOperator('/sign-in/second-step', { method: 'POST', body: { ...proof, keep: 'cookie' } })
    onDone()
  }
  return <SecondStepForm onOffer={offer} onProof={prove} onBack={onBack} />
}

/** Set-up of the second factor, which operators need: begun by a button, because a new secret replaces the one before. */
export function SetUp({ onDone }: { onDone(): void }) {
  const texts = useTexts(operatorTexts)
  const words = useTexts(accountTexts)
  const entry = useTexts(signInTexts)
  const [secret, setSecret] = useState<{ secret: string; otpauthUrl: string } | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const add = useMutation<{ recoveryCodes: string[] }, Problem, string>({
    mutationFn: addPasskey,
    onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes),
  })
  useTitle(texts.setUpTitle)
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (secret === null) {
    const begin = async () => setSecret(await callOperator('/sign-in/two-step', { method: 'POST' }))
    return (
      <>
        <EntryForm title={texts.setUpTitle} lead={texts.setUpLead} isNext button={words.setUp} errors={{}} onSend={begin} footer={null}>
          {null}
        </EntryForm>
        <Text mt="lg">{texts.orPasskey}</Text>
        <PasskeyForm add={add} />
      </>
    )
  }
  return (
    <EntryForm
      title={texts.setUpTitle}
      lead={words.scan}
      isNext
      button={words.turnOn}
      errors={{ 400: entry.wrongCode, 401: entry.wrongCode, 409: entry.wrongCode, 429: entry.tooMany }}
      onSend={async (values) => {
        const body = { code: String(values.get('code')).replaceAll(' ', ''), keep: 'cookie' }
        const answer = await callOperator<{ recoveryCodes: string[] }>('/sign-in/two-step/confirm', { method: 'POST', body })
        setCodes(answer.recoveryCodes)
      }}
      footer={null}
    >
      <Qr text={secret.otpauthUrl} label={words.qr} />
      <Text size="sm" mt="xs">
        {words.typeIn} <Code className="words">{secret.secret}</Code>
      </Text>
      <TextInput name="code" label={words.code} inputMode="numeric" autoComplete="one-time-code" required withAsterisk={false} my="sm" />
    </EntryForm>
  )
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  const words = useTexts(accountTexts)
  return (
    <div role="status">
      <Title order={1} size="h2">
        {words.codesTitle}
      </Title>
      <Text size="sm">{words.codesLead}</Text>
      <Code block my="sm" tabIndex={0}>
        {codes.join('\n')}
      </Code>
      <Group>
        <CopyButton text={codes.join('\n')} />
        <Button size="xs" onClick={onDone}>
          {words.kept}
        </Button>
      </Group>
    </div>
  )
}

function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Countinghouse`
  }, [title])
}
