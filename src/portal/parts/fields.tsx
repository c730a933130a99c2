import { type FocusEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

/**
 * The fields of a dialog, which closes once they are saved: while that is under way nothing can be typed, for it would be lost. Where the
 * save is refused, the focus goes back to the field that it was taken from.
 */
export function Fields({ isSending, children }: { isSending: boolean; children: ReactNode }) {
  const place = useRef<HTMLFieldSetElement>(null)
  const last = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    // A browser takes the focus from what is disabled; a button that was clicked has kept it.
    if (!isSending && document.activeElement?.contains(place.current)) last.current?.focus()
  }, [isSending])
  const remember = (event: FocusEvent<HTMLElement>) => {
    last.current = event.target
  }
  return (
    <fieldset ref={place} className="fields" disabled={isSending} onFocus={remember}>
      {children}
    </fieldset>
  )
}
