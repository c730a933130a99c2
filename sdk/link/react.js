import { createElement, useEffect, useRef } from 'react'

const EVENTS = { opened: 'onOpened', agreed: 'onAgreed', left: 'onLeft', failed: 'onFailed', connected: 'onConnected' }

/** `<countinghouse-link>` as a React component. On a server it renders the empty element. */
export function CountinghouseLink({ href, language, className, style, ...handlers }) {
  const place = useRef(null)
  const newest = useRef(handlers)
  newest.current = handlers
  useEffect(() => {
    const element = place.current
    const ended = new AbortController()
    for (const [event, name] of Object.entries(EVENTS))
      element.addEventListener(event, ({ detail }) => newest.current[name]?.(detail), { signal: ended.signal })
    // Later than the listeners, so that they hear its first event; not on a server, which has no elements.
    import('./countinghouse-link.js')
    return () => ended.abort()
  }, [])
  return createElement('countinghouse-link', { ref: place, href, language, class: className, style })
}
