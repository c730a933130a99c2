import { type ComponentType, useEffect, useState } from 'react'

/**
 * Component of a file that is loaded once it is wanted; null before. Unlike with `lazy`, a file that could not be loaded
 * takes nothing else from the screen, and is asked for again the next time. `load` and `onFailure` stay the same.
 */
export function useLoaded<Props>(
  load: () => Promise<ComponentType<Props>>,
  isWanted: boolean,
  onFailure: () => void,
): ComponentType<Props> | null {
  const [loaded, setLoaded] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
    if (isWanted && loaded === null) load().then((component) => setLoaded(() => component), onFailure)
  }, [load, isWanted, onFailure, loaded])
  return loaded
}
