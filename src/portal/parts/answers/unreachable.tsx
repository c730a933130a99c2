import { useSyncExternalStore } from 'react'
import { isServiceUnreachable, onAvailability } from '../../api/availability.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'

export function useServiceUnreachable(): boolean {
  return useSyncExternalStore(onAvailability, isServiceUnreachable)
}

/** Live region that says that the service is unreachable; always in the DOM, so that screen readers announce it. */
export function UnreachableBar() {
  const texts = useTexts(common)
  const isUnreachable = useServiceUnreachable()
  return (
    <div role="status" className="unreachable">
      {isUnreachable && (
        <p>
          <strong>{texts.unreachable}</strong> {texts.unreachableHint}
        </p>
      )}
    </div>
  )
}
