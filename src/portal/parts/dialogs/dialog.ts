import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

/** Dialog state kept in the address (`?do=<name>`), so that a link or the palette can open it. */
export function useDialog(name: string): [boolean, { open(): void; close(): void }] {
  const [params, setParams] = useSearchParams()
  const turn = (wanted: string | null) => {
    const next = new URLSearchParams(params)
    if (wanted === null) next.delete('do')
    else next.set('do', wanted)
    setParams(next, { replace: true })
  }
  return [params.get('do') === name, { open: () => turn(name), close: () => turn(null) }]
}

/** Restores the focus when a dialog that is rendered only while open unmounts: to where it was, else to the page's heading. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // After the dialog has left the DOM, and unless something else has taken the focus.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
        const target = isThere ? before : document.querySelector<HTMLElement>('h1')
        target?.focus({ preventScroll: true })
      })
    },
    [before],
  )
}
