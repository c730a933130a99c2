import { Button, Group, Text } from '@mantine/core'
import { CopyButton } from '../../parts/display/copy.tsx'
import { type Language, useTexts } from '../../texts/language/language.tsx'
import { inboxTexts, type MessageFacts, ownerMessages } from '../../texts/pages/inbox.ts'

/** Message to the owner, in both languages. */
export function OwnerMessage(facts: MessageFacts) {
  const texts = useTexts(inboxTexts)
  return (
    <div className="cards messages">
      <Message language="en" name={texts.english} facts={facts} />
      <Message language="fr" name={texts.french} facts={facts} />
    </div>
  )
}

function Message({ language, name, facts }: { language: Language; name: string; facts: MessageFacts }) {
  const texts = useTexts(inboxTexts)
  const words = ownerMessages[language]
  const clipped = { ...facts, company: facts.company.slice(0, 120), service: facts.service.slice(0, 120) }
  const body = words.body(clipped)
  const mail = `mailto:?subject=${encodeURIComponent(words.subject(clipped))}&body=${encodeURIComponent(body)}`
  return (
    <div className="card">
      <Text fw={600} size="sm">
        {texts.message} · {name}
      </Text>
      <Text size="sm" className="words" lang={language} my="xs">
        {body}
      </Text>
      <Group gap="xs">
        <CopyButton text={body} />
        <Button component="a" href={mail} size="xs" variant="default">
          mailto
        </Button>
      </Group>
    </div>
  )
}
