import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'

/** A dialog whose being open stands in the address (`?do=<name>`), so that a link or the palette can open it. */
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

/** For a dialog that exists only while it is open: when it goes, the focus goes back to where it was, else to the heading of the page. */
export function useFocusBack(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      // Once it has left the page, and unless somebody has taken the focus.
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body
        const place = isThere ? before : document.querySelector<HTMLElement>('h1')
        place?.focus({ preventScroll: true })
      })
    },
    [before],
  )
}
