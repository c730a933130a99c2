import { type FocusEvent, type ReactNode, useLayoutEffect, useRef } from 'react'

/**
 * Fields of a dialog that closes once they are saved: disabled while saving, because edits would be lost. If saving
 * fails, the focus returns to the field that had it.
 */
export function Fields({ isSending, children }: { isSending: boolean; children: ReactNode }) {
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const last = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    // A browser blurs a disabled field; a button outside the fieldset has kept the focus.
    if (!isSending && document.activeElement?.contains(fieldset.current)) last.current?.focus()
  }, [isSending])
  const remember = (event: FocusEvent<HTMLElement>) => {
    last.current = event.target
  }
  return (
    <fieldset ref={fieldset} className="fields" disabled={isSending} onFocus={remember}>
      {children}
    </fieldset>
  )
}
