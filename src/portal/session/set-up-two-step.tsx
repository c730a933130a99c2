import { Button, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { renew, signOut } from '../api/session.ts'
import { TwoStep } from '../pages/account/two-step.tsx'
import { accountTexts } from '../texts/account/account.ts'
import { useTexts } from '../texts/language/language.tsx'
import { frameTexts } from '../texts/pages/frame.ts'
import { EntryLayout } from './entry-layout.tsx'
import { ProofGate } from './proof-gate.tsx'

/** Set-up of the second step, for a member of an instance that requires one: nothing else is open before. */
export function SetUpTwoStep() {
  const texts = useTexts(accountTexts)
  const words = useTexts(frameTexts)
  useEffect(() => {
    document.title = `${texts.requiredTitle} · Countinghouse`
  }, [texts])
  return (
    <EntryLayout>
      <Title order={1} size="h2">
        {texts.requiredTitle}
      </Title>
      <Text c="dimmed" mb="md">
        {texts.requiredLead}
      </Text>
      <TwoStep onKept={() => void renew()} />
      <Button variant="default" size="xs" mt="sm" onClick={() => void signOut()}>
        {words.signOut}
      </Button>
      <ProofGate />
    </EntryLayout>
  )
}
