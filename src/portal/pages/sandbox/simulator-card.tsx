import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import type { Simulator } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { sandboxTexts } from '../../texts/pages/operation.ts'

const HOUR_S = 3_600
const SPANS = { hour: HOUR_S, day: 24 * HOUR_S, month: 30 * 24 * HOUR_S, quarter: 100 * 24 * HOUR_S } as const
const NAMES = ['hour', 'day', 'month', 'quarter'] as const

export function SimulatorCard({ simulator }: { simulator: Simulator }) {
  const texts = useTexts(sandboxTexts)
  const formats = useFormats()
  const { key, faults, armed, clockMovedSeconds } = simulator
  const path = `/sandbox/simulators/${encodeURIComponent(key)}`
  const arm = useChange<{ name: string; times: number }>((body) => ({ method: 'POST', path: `${path}/faults`, body }))
  const clear = useChange<void>(() => ({ method: 'DELETE', path: `${path}/faults` }))
  const move = useChange<number>((seconds) => ({ method: 'POST', path: `${path}/clock`, body: { seconds } }))
  const problem = arm.error ?? clear.error ?? move.error
  return (
    <li className="card">
      <Title order={2} size="h5" mb="xs">
        <UserText>{key}</UserText>
      </Title>
      <form
        onSubmit={onSubmit((given) => arm.mutate({ name: String(given.get('name')), times: Number(given.get('times')) }))}
        aria-label={formats.named(key, texts.fault)}
      >
        <NativeSelect name="name" label={texts.fault} data={faults} size="xs" />
        <TextInput name="times" type="number" label={texts.times} min={1} max={1000} defaultValue={1} size="xs" />
        <Group gap="xs" mt="xs">
          <Button type="submit" size="xs" loading={arm.isPending}>
            {texts.arm}
          </Button>
          <Button size="xs" variant="default" disabled={armed.length === 0} loading={clear.isPending} onClick={() => clear.mutate()}>
            {texts.clear}
          </Button>
        </Group>
        <Text size="xs" mih="1.5em" role="status">
          {armed.length > 0 && formats.named(texts.armed, armed.map(({ name, times }) => `${name} × ${times}`).join(', '))}
        </Text>
      </form>
      <form onSubmit={onSubmit((given) => move.mutate(Number(given.get('seconds'))))} aria-label={formats.named(key, texts.clock)}>
        <NativeSelect
          name="seconds"
          label={texts.clock}
          data={NAMES.map((name) => ({ value: String(SPANS[name]), label: texts.spans[name] }))}
          size="xs"
        />
        <Button type="submit" size="xs" variant="default" mt="xs" loading={move.isPending}>
          {texts.move}
        </Button>
        <Text size="xs" c="dimmed">
          {clockMovedSeconds === 0 ? texts.clockNow : texts.clockAhead(`${formats.number(clockMovedSeconds / HOUR_S)} h`)}
        </Text>
      </form>
      {problem && <ProblemBox problem={problem} />}
    </li>
  )
}
