import { Button, PasswordInput, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { callOperator } from '../api/operator.ts'
import { EntryForm } from '../session/entry-form.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'

/** Sets an operator's password by a one-time link. */
export function OneTimeLinkPage({ token, onBack }: { token: string; onBack(): void }) {
  const texts = useTexts(newPasswordTexts)
  const [isSet, setIsSet] = useState(false)
  useEffect(() => {
    document.title = `${texts.setTitle} · Countinghouse`
  }, [texts])
  const back = (
    <Button variant="default" size="xs" mt="sm" onClick={onBack}>
      {texts.back}
    </Button>
  )
  if (isSet) {
    return (
      <div role="status">
        <Title order={1} size="h2">
          {texts.done}
        </Title>
        <Text>{texts.doneLead}</Text>
        {back}
      </div>
    )
  }
  return (
    <EntryForm
      title={texts.setTitle}
      lead={texts.setLead}
      button={texts.set}
      errors={{ 400: texts.bad, 429: texts.tooMany }}
      onSend={async (values) => {
        await callOperator('/one-time-link', { method: 'POST', body: { token, password: String(values.get('password')) } })
        setIsSet(true)
      }}
      footer={back}
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
