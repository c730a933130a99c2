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
