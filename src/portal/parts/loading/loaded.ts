import { type ComponentType, useEffect, useState } from 'react'

/**
 * Component loaded on demand; null before. Unlike with `lazy`, a file that fails to load removes nothing else from the
 * screen, and is requested again the next time. `load` and `onFailure` must be stable.
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
