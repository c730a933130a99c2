import { Button, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { callOperator } from '../api/operator.ts'
import { NewPasswordForm } from '../session/new-password.tsx'
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
  const send = async (password: string) => {
    await callOperator('/one-time-link', { method: 'POST', body: { token, password } })
    setIsSet(true)
  }
  return <NewPasswordForm errors={{ 400: texts.bad, 429: texts.tooMany }} onPassword={send} footer={back} />
}
