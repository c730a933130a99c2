import { Button, Group, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/reads.ts'
import { Section } from '../../parts/page.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { useFormats, useTexts } from '../../texts/language.tsx'
import { webhookTexts } from '../../texts/webhooks.ts'

const DAY_MS = 86_400_000

/** Once more: all that was missed, or all of a time. The fields are in the time of this browser. */
export function Replay({ path }: { path: string }) {
  const texts = useTexts(webhookTexts)
  const formats = useFormats()
  const [count, setCount] = useState<number | null>(null)
  const replay = useChange<Record<string, string>, { deliveries: number }>(
    (body) => ({ method: 'POST', path: `${path}/replay`, body }),
    ({ deliveries }) => setCount(deliveries),
  )
  const submit = (names: readonly string[]) => (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    setCount(null)
    replay.mutate(Object.fromEntries(names.map((name) => [name, new Date(String(given.get(name))).toISOString()])))
  }
  const [yesterday, now] = [toField(Date.now() - DAY_MS), toField(Date.now() + 60_000)]
  return (
    <Section title={texts.replay}>
      <form onSubmit={submit(['undeliveredSince'])} onChange={() => setCount(null)}>
        <Group align="flex-end" gap="sm">
          <TextInput
            name="undeliveredSince"
            type="datetime-local"
            label={texts.replayMissed}
            defaultValue={yesterday}
            required
            withAsterisk={false}
          />
          <Button type="submit" variant="default" loading={replay.isPending}>
            {texts.replay}
          </Button>
        </Group>
      </form>
      <form onSubmit={submit(['from', 'to'])} onChange={() => setCount(null)}>
        <Group align="flex-end" gap="sm" mt="sm">
          <TextInput name="from" type="datetime-local" label={texts.replayRange} defaultValue={yesterday} required withAsterisk={false} />
          <TextInput name="to" type="datetime-local" label={texts.replayAnd} defaultValue={now} required withAsterisk={false} />
          <Button type="submit" variant="default" loading={replay.isPending} aria-label={formats.named(texts.replay, texts.replayRange)}>
            {texts.replay}
          </Button>
        </Group>
      </form>
      {replay.error && <ProblemBox problem={replay.error} />}
      <Text size="sm" role="status" mt="xs">
        {count === null ? '' : texts.replayed(count)}
      </Text>
    </Section>
  )
}

/** As a field for local time wants it. */
function toField(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
