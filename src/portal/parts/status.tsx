import { useTexts } from '../texts/language.tsx'
import { type Health, healthOf, statusTexts } from '../texts/statuses.ts'

const SIGNS: Record<Health, string> = { good: '●', busy: '◐', bad: '▲', idle: '○' }

/** A word with a colour and a shape, so that neither is needed alone. */
export function Mark({ health, children }: { health: Health; children: string }) {
  return (
    <span className={`mark mark-${health}`}>
      <span aria-hidden="true">{SIGNS[health]}</span> {children}
    </span>
  )
}

export function Status({ code }: { code: number | null }) {
  const texts = useTexts(statusTexts)
  if (code === null) return <Mark health="idle">{texts.none}</Mark>
  const names: Record<number, string> = texts.names
  return <Mark health={healthOf(code)}>{names[code] ?? texts.unknown}</Mark>
}
