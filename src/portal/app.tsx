import { createTheme, MantineProvider, Modal } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { Router } from 'wouter'
import { isServiceAway, onReach } from './api/reach.ts'
import { queries } from './api/reads.ts'
import { currentToken, isSignedIn, onSession } from './api/session.ts'
import { Frame } from './frame/frame.tsx'
import { Pages } from './pages/pages.tsx'
import { EntryLayout } from './session/entry-layout.tsx'
import { NewPassword } from './session/new-password.tsx'
import { SignIn } from './session/sign-in.tsx'
import { LanguageProvider, useTexts } from './texts/language/language.tsx'
import { common } from './texts/pages/common.ts'

/**
 * Scrolling is left alone: a lock would write style elements, which the policy of the page refuses. Colours and sizes stand in
 * `styles/colours.css` for the same reason.
 */
function toTheme(close: string) {
  return createTheme({
    respectReducedMotion: true,
    cursorType: 'pointer',
    components: {
      Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, size: 'lg' } }),
      // The head of a dialog is no banner of the page.
      ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
      ModalCloseButton: Modal.CloseButton.extend({ defaultProps: { 'aria-label': close } }),
    },
  })
}

export function App() {
  return (
    <LanguageProvider>
      <Look>
        <QueryClientProvider client={queries}>
          <Router base="/portal">
            <Door />
          </Router>
        </QueryClientProvider>
      </Look>
    </LanguageProvider>
  )
}

function Look({ children }: { children: ReactNode }) {
  const { close } = useTexts(common)
  const theme = useMemo(() => toTheme(close), [close])
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  )
}

/** From a link that was mailed; behind the #, so that no server sees it. */
function findResetToken(): string | null {
  return location.pathname === '/portal/new-password' ? location.hash.slice(1) : null
}

/** Lets in whoever has a session; the address asked for stays, so that a shared one still leads there after signing in. */
function Door() {
  const isIn = useSyncExternalStore(onSession, isSignedIn)
  const [isKnown, setIsKnown] = useState(isIn)
  const [resetToken, setResetToken] = useState(findResetToken)
  useEffect(() => {
    // Whoever cannot be asked now is let sign in, which says what is wrong.
    currentToken()
      .catch(() => null)
      .then(() => setIsKnown(true))
  }, [])
  // Whoever was let sign in because nobody could be asked has a session after all.
  useEffect(
    () =>
      onReach(() => {
        if (!isServiceAway() && !isSignedIn()) void currentToken().catch(() => null)
      }),
    [],
  )
  useEffect(() => {
    // Another such link opened in this tab changes nothing but what is behind the #.
    const look = () => setResetToken(findResetToken())
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  useEffect(() => {
    if (!isIn) queries.clear()
  }, [isIn])
  if (!isKnown) return null
  // Whoever is signed in here: the link may be another's.
  if (resetToken !== null) {
    const leave = () => {
      history.replaceState(null, '', '/portal/')
      setResetToken(null)
    }
    return (
      <EntryLayout>
        <NewPassword key={resetToken} token={resetToken} isIn={isIn} onBack={leave} />
      </EntryLayout>
    )
  }
  if (!isIn) return <SignIn />
  return (
    <Frame>
      <Pages />
    </Frame>
  )
}
