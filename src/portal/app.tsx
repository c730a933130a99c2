import { createTheme, MantineProvider, Modal } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { Router } from 'wouter'
import { isServiceUnreachable, onAvailability } from './api/availability.ts'
import { queries } from './api/reads.ts'
import { currentToken, isSetUpOnly, isSignedIn, onSession, takeArrival } from './api/session.ts'
import { Frame } from './frame/frame.tsx'
import { Pages } from './pages/pages.tsx'
import { Boundary } from './parts/loading/boundary.tsx'
import { EntryLayout } from './session/entry-layout.tsx'
import { NewPassword } from './session/new-password.tsx'
import { ProofGate } from './session/proof-gate.tsx'
import { PendingSignIn, SignInFailure } from './session/provider-sign-in.tsx'
import { SignIn } from './session/sign-in.tsx'
import { LanguageProvider, useTexts } from './texts/language/language.tsx'
import { common } from './texts/pages/common.ts'

const SetUpTwoStep = lazy(async () => ({ default: (await import('./session/set-up-two-step.tsx')).SetUpTwoStep }))
const OperatorApp = lazy(async () => ({ default: (await import('./operator/operator-app.tsx')).OperatorApp }))

/**
 * No scroll lock: it would write style elements, which the Content-Security-Policy refuses. Colours and sizes are in
 * `styles/colours.css` for the same reason.
 */
function toTheme(close: string) {
  return createTheme({
    respectReducedMotion: true,
    cursorType: 'pointer',
    components: {
      Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, size: 'lg' } }),
      // Not a `banner` landmark of the page.
      ModalHeader: Modal.Header.extend({ defaultProps: { role: 'presentation' } }),
      ModalCloseButton: Modal.CloseButton.extend({ defaultProps: { 'aria-label': close } }),
    },
  })
}

export function App() {
  return (
    <LanguageProvider>
      <Theme>
        <QueryClientProvider client={queries}>
          <Boundary>
            {location.pathname.startsWith('/operator') ? (
              <Suspense>
                <OperatorApp />
              </Suspense>
            ) : (
              <Router base="/portal">
                <SessionGate />
              </Router>
            )}
          </Boundary>
        </QueryClientProvider>
      </Theme>
    </LanguageProvider>
  )
}

function Theme({ children }: { children: ReactNode }) {
  const { close } = useTexts(common)
  const theme = useMemo(() => toTheme(close), [close])
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  )
}

/** Token of a mailed link; in the fragment, so that no server sees it. */
function findResetToken(): string | null {
  return location.pathname === '/portal/new-password' ? location.hash.slice(1) : null
}

/** Token of the mailed link that is open, if any, and what leaves it. */
function useResetToken(): [string | null, () => void] {
  const [resetToken, setResetToken] = useState(findResetToken)
  useEffect(() => {
    // Another mailed link opened in this tab changes the fragment only.
    const look = () => setResetToken(findResetToken())
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  const leave = () => {
    history.replaceState(null, '', '/portal/')
    setResetToken(null)
  }
  return [resetToken, leave]
}

/** Shows the pages with a session and the sign-in page without; the address stays, so that a shared link works after signing in. */
function SessionGate() {
  const isIn = useSyncExternalStore(onSession, isSignedIn)
  const isForSetUp = useSyncExternalStore(onSession, isSetUpOnly)
  const [isKnown, setIsKnown] = useState(isIn)
  const [resetToken, leaveReset] = useResetToken()
  const [arrival] = useState(takeArrival)
  const [failure, setFailure] = useState(arrival.failure)
  const [wanted, setWanted] = useState(arrival.wanted)
  useEffect(() => {
    // If the session cannot be checked, the sign-in page is shown, which reports the problem.
    currentToken()
      .catch(() => null)
      .then(() => setIsKnown(true))
  }, [])
  // A session that could not be checked is checked again once the service is back.
  useEffect(
    () =>
      onAvailability(() => {
        if (!isServiceUnreachable() && !isSignedIn()) void currentToken().catch(() => null)
      }),
    [],
  )
  useEffect(() => {
    if (!isIn) queries.clear()
  }, [isIn])
  useEffect(() => {
    // The sign-in page has shown it.
    if (isKnown && !isIn) setFailure(null)
  }, [isKnown, isIn])
  if (!isKnown) return null
  // Also when signed in: the link may be for another account.
  if (resetToken !== null) {
    return (
      <EntryLayout>
        <NewPassword key={resetToken} token={resetToken} isIn={isIn} onBack={leaveReset} />
      </EntryLayout>
    )
  }
  if (wanted !== null) return <PendingSignIn wanted={wanted} onBack={() => setWanted(null)} />
  if (!isIn) return <SignIn failure={failure} />
  if (isForSetUp)
    return (
      <Suspense fallback={null}>
        <SetUpTwoStep />
      </Suspense>
    )
  return (
    <Frame>
      <div className="notice">{failure !== null && <SignInFailure code={failure} onClose={() => setFailure(null)} />}</div>
      <Pages />
      <ProofGate />
    </Frame>
  )
}
