import type { StatusCode } from '../../api/generated/types.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { type Health, healthOf, statusTexts } from '../../texts/messages/statuses.ts'

const SIGNS: Record<Health, string> = { good: '●', busy: '◐', bad: '▲', idle: '○' }

/** Status label with a colour and a shape, so that neither is needed alone. */
export function Mark({ health, children }: { health: Health; children: string }) {
  return (
    <span className={`mark mark-${health}`}>
      <span aria-hidden="true">{SIGNS[health]}</span> {children}
    </span>
  )
}

export function Status({ code }: { code: StatusCode | null }) {
  const texts = useTexts(statusTexts)
  const nameOf = useStatusName()
  if (code === null) return <Mark health="idle">{texts.none}</Mark>
  return <Mark health={healthOf(code)}>{nameOf(code)}</Mark>
}

/** Display name of a status code. */
export function useStatusName(): (code: StatusCode) => string {
  const texts = useTexts(statusTexts)
  return (code) => texts.names[code] ?? texts.unknown
}
