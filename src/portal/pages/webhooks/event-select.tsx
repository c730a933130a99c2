import { NativeSelect } from '@mantine/core'
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../api/generated/types.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'

/** Default: the event that most subscribe to. */
const DEFAULT_EVENT: SubscribableEvent = 'NormalizedData'

/** Entries of the audit: only administrators subscribe to them, and no receiver here takes them. */
export const AUDIT_EVENT: SubscribableEvent = 'AuditEntry'

interface EventSelectProps {
  label: string
  isFirst?: boolean
  hasAudit?: boolean
}

/** Field `event` of a form: which event to subscribe to. */
export function EventSelect({ label, isFirst = false, hasAudit = false }: EventSelectProps) {
  const texts = useTexts(webhookTexts)
  const events = SUBSCRIBABLE_EVENTS.filter((event) => hasAudit || event !== AUDIT_EVENT)
  return (
    <NativeSelect
      name="event"
      label={label}
      {...(hasAudit ? { description: texts.auditHint } : {})}
      data={events}
      defaultValue={DEFAULT_EVENT}
      mb="sm"
      data-autofocus={isFirst || undefined}
    />
  )
}
