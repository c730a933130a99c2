import { useSyncExternalStore } from 'react'
import { isServiceAway, onReach } from '../api/reach.ts'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'

export function useServiceAway(): boolean {
  return useSyncExternalStore(onReach, isServiceAway)
}

/** Says that the service cannot be reached for as long as that is so. It is there before it says anything, so that it is read aloud. */
export function AwayBar() {
  const texts = useTexts(common)
  const isAway = useServiceAway()
  return (
    <div role="status" className="away">
      {isAway && (
        <p>
          <strong>{texts.away}</strong> {texts.awayHint}
        </p>
      )}
    </div>
  )
}
