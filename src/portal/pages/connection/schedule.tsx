import { Button, Modal, NativeSelect, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ConnectionSchedule, ServiceSchedule } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { When } from '../../parts/display/user-text.tsx'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { scheduleTexts } from '../../texts/pages/schedules.ts'

const INTERVALS = [15, 30, 60, 120, 240, 360, 720, 1_440, 2_880, 10_080, 43_200]
const NEVER = 'never'
const INHERIT = 'inherit'

type Shown = ServiceSchedule & Partial<Pick<ConnectionSchedule, 'updateScheduledOn'>>

interface ScheduleProps {
  /** Address of a connection or a service. */
  path: string
  of: 'connection' | 'service'
  mayChange: boolean
}

/** Refresh schedule of a connection or a service, and the dialog that changes it. */
export function ScheduleSection({ path, of, mayChange }: ScheduleProps) {
  const texts = useTexts(scheduleTexts)
  const schedule = useRead<Shown>(`${path}/schedule`, { everyMs: of === 'connection' && 10_000 })
  return (
    <Section title={texts.title}>
      <Answer read={schedule} lines={2}>
        {(shown) => <View path={path} of={of} schedule={shown} mayChange={mayChange && shown.isChangeable} />}
      </Answer>
    </Section>
  )
}

function View({ path, of, schedule, mayChange }: ScheduleProps & { schedule: Shown }) {
  const texts = useTexts(scheduleTexts)
  const [isOpen, dialog] = useDisclosure(false)
  const { everyMinutes, setBy, isChangeable, updateScheduledOn } = schedule
  const interval = everyMinutes === null ? texts.never : texts.every(everyMinutes)
  return (
    <>
      <Text size="sm">{isChangeable ? `${interval} (${texts.setBy[setBy]})` : texts.ofFiles}</Text>
      {of === 'connection' && isChangeable && (
        <Text size="sm">
          {texts.next} <When at={updateScheduledOn} />
        </Text>
      )}
      {mayChange && (
        <Button size="xs" variant="default" mt="xs" onClick={dialog.open}>
          {texts.change}
        </Button>
      )}
      <Modal opened={isOpen} onClose={dialog.close} title={texts.change}>
        <ScheduleForm path={path} of={of} schedule={schedule} onClose={dialog.close} />
      </Modal>
    </>
  )
}

function ScheduleForm({ path, of, schedule, onClose }: Omit<ScheduleProps, 'mayChange'> & { schedule: Shown; onClose(): void }) {
  const texts = useTexts(scheduleTexts)
  const { everyMinutes, setBy, shortestMinutes } = schedule
  const save = useChange<string>((choice) => {
    const request = { path: `${path}/schedule` }
    if (choice === INHERIT) return { ...request, method: 'DELETE' }
    return { ...request, method: 'PUT', body: { everyMinutes: choice === NEVER ? null : Number(choice) } }
  }, onClose)
  const possible = INTERVALS.filter((minutes) => minutes >= shortestMinutes)
  const offered = [...new Set([...possible, ...(everyMinutes === null ? [] : [everyMinutes])])].sort((a, b) => a - b)
  const isOwn = setBy === of
  return (
    <SaveForm change={save} onSave={(values) => save.mutate(String(values.get('interval')))} onCancel={onClose}>
      <NativeSelect
        name="interval"
        label={texts.label}
        description={texts.shortest(texts.every(shortestMinutes))}
        data-autofocus
        defaultValue={isOwn ? String(everyMinutes ?? NEVER) : INHERIT}
        data={[
          { value: INHERIT, label: of === 'connection' ? texts.inherit.connection : texts.inherit.service },
          ...offered.map((minutes) => ({ value: String(minutes), label: texts.every(minutes) })),
          { value: NEVER, label: texts.never },
        ]}
      />
    </SaveForm>
  )
}
