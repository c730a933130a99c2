import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call, withQuery } from '../../api/client.ts'
import type { CountEventsToReplayResponse, Replayed } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { ConfirmDialog } from '../../parts/dialogs/confirm.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'

const DAY_MS = 86_400_000

interface Counted extends CountEventsToReplayResponse {
  selection: Record<string, string>
}

/** Redelivery of missed events or of a time range, counted and confirmed first. Times are local to the browser. */
export function Replay({ path, address }: { path: string; address: string }) {
  const texts = useTexts(webhookTexts)
  const formats = useFormats()
  const { count, counted, setCounted, replay, submit, forget, queued } = useReplay(path)
  const [yesterday, now] = [toField(Date.now() - DAY_MS), toField(Date.now() + 60_000)]
  return (
    <Section title={texts.replay}>
      <form onSubmit={submit} onChange={forget}>
        <Group align="flex-end" gap="sm">
          <TextInput
            name="undeliveredSince"
            type="datetime-local"
            label={texts.replayMissed}
            defaultValue={yesterday}
            required
            withAsterisk={false}
          />
          <Button type="submit" variant="default" loading={count.isPending}>
            {texts.replay}
          </Button>
        </Group>
      </form>
      <form onSubmit={submit} onChange={forget}>
        <Group align="flex-end" gap="sm" mt="sm">
          <TextInput name="from" type="datetime-local" label={texts.replayRange} defaultValue={yesterday} required withAsterisk={false} />
          <TextInput name="to" type="datetime-local" label={texts.replayAnd} defaultValue={now} required withAsterisk={false} />
          <Button type="submit" variant="default" loading={count.isPending} aria-label={formats.named(texts.replay, texts.replayRange)}>
            {texts.replay}
          </Button>
        </Group>
      </form>
      {count.error && <ProblemBox problem={count.error} />}
      <ConfirmDialog
        label={texts.resend}
        title={texts.resendTitle(counted?.deliveries ?? 0)}
        question={
          <>
            <UserText most={300}>{address}</UserText>
            <br />
            {texts.resendQuestion}
          </>
        }
        isBusy={replay.isPending}
        problem={replay.error}
        isOpen={counted !== null}
        onClose={() => setCounted(null)}
        onConfirm={() => counted && replay.mutate(counted.selection)}
      />
      <Text size="sm" role="status" mt="xs">
        {queued === null ? '' : texts.replayed(queued)}
      </Text>
    </Section>
  )
}

/** Counts the deliveries of a selection, then, once confirmed, queues them; `queued` is how many. */
function useReplay(path: string) {
  const [queued, setQueued] = useState<number | null>(null)
  const [counted, setCounted] = useState<Counted | null>(null)
  const replay = useChange<Record<string, string>, Replayed>(
    (body) => ({ method: 'POST', path: `${path}/replay`, body }),
    ({ deliveries }) => {
      setCounted(null)
      setQueued(deliveries)
    },
  )
  const count = useMutation<Counted, Problem, Record<string, string>>({
    mutationFn: async (selection) => ({ selection, ...(await call<CountEventsToReplayResponse>(withQuery(`${path}/replay`, selection))) }),
    onSuccess: (found) => {
      replay.reset()
      if (found.deliveries === 0) setQueued(0)
      else setCounted(found)
    },
  })
  const forget = () => setQueued(null)
  const submit = onSubmit((given) => {
    forget()
    count.mutate(Object.fromEntries([...given].map(([name, value]) => [name, new Date(String(value)).toISOString()])))
  })
  return { count, counted, setCounted, replay, submit, forget, queued }
}

/** Value of a `datetime-local` field. */
function toField(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
