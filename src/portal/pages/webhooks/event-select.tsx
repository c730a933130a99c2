import { NativeSelect } from '@mantine/core'
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../api/generated/types.ts'

/** Default: the event that most subscribe to. */
const DEFAULT_EVENT: SubscribableEvent = 'NormalizedData'

/** Field `event` of a form: which event to subscribe to. */
export function EventSelect({ label, isFirst = false }: { label: string; isFirst?: boolean }) {
  return (
    <NativeSelect
      name="event"
      label={label}
      data={[...SUBSCRIBABLE_EVENTS]}
      defaultValue={DEFAULT_EVENT}
      mb="sm"
      data-autofocus={isFirst || undefined}
    />
  )
}
