import { Badge, Button, NavLink } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { type ReactNode, useCallback, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { Deployment, Whoami } from '../api/generated/types.ts'
import { useRead } from '../api/reads.ts'
import { signOut } from '../api/session.ts'
import { Failure } from '../parts/answers/answer.tsx'
import { UnreachableBar } from '../parts/answers/unreachable.tsx'
import { CurlButton } from '../parts/display/curl.tsx'
import { UserText } from '../parts/display/user-text.tsx'
import { Preferences } from '../parts/layout/preferences.tsx'
import { useLoaded } from '../parts/loading/loaded.ts'
import { useTexts } from '../texts/language/language.tsx'
import { frameTexts } from '../texts/pages/frame.ts'
import { useActions } from './actions.ts'
import { type Destination, listDestinations } from './destinations.ts'

const loadPalette = async () => (await import('./palette.tsx')).Palette

/** Application shell: header, menu, user, language, theme and command palette around the page. */
export function Frame({ children }: { children: ReactNode }) {
  const texts = useTexts(frameTexts)
  const me = useRead<Whoami>('/auth/me')
  const deployment = useRead<Deployment>('/deployment')
  const [location, navigate] = useLocation()
  // Navigation closes the menu, which covers the page on a phone.
  const [menuOpenAt, setMenuOpenAt] = useState<string | null>(null)
  const isMenuOpen = menuOpenAt === location
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const closePalette = useCallback(() => setIsPaletteOpen(false), [])
  const Palette = useLoaded(loadPalette, isPaletteOpen, closePalette)
  const [isCurlOpen, setIsCurlOpen] = useState(false)
  const actions = useActions(me.data, navigate, () => setIsCurlOpen(true))
  useHotkeys([['mod+K', () => setIsPaletteOpen(true)]], [])
  const isSandbox = deployment.data?.environment === 'sandbox'
  // The menu appears once user and deployment are known, so that no entry moves.
  const isKnown = !me.isPending && !deployment.isPending
  const destinations = listDestinations(texts, me.data?.role, isSandbox)
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {texts.skip}
      </a>
      <header className="head">
        <MenuButton isOpen={isMenuOpen} onClick={() => setMenuOpenAt(isMenuOpen ? null : location)} />
        <Link href="/companies" className="brand">
          Countinghouse
        </Link>
        <span className="head-space">{isSandbox && <Badge className="sandbox-badge">{texts.sandboxNote}</Badge>}</span>
        <Button variant="default" size="xs" onClick={() => setIsPaletteOpen(true)} aria-keyshortcuts="Control+K Meta+K">
          {texts.go} <kbd className="wide-only">Ctrl K</kbd>
        </Button>
        <CurlButton isOpen={isCurlOpen} onTurn={setIsCurlOpen} />
      </header>
      <nav className="menu" id="menu" data-open={isMenuOpen} aria-label={texts.main}>
        {isKnown && <MenuEntries destinations={destinations} location={location} />}
        {isKnown && <MenuFoot me={me.data} />}
      </nav>
      <Content pause={deployment.data?.pause} reads={[me, deployment]}>
        {children}
      </Content>
      {Palette && <Palette destinations={destinations} actions={actions} isOpen={isPaletteOpen} onClose={closePalette} onGo={navigate} />}
    </div>
  )
}

function MenuButton({ isOpen, onClick }: { isOpen: boolean; onClick(): void }) {
  const texts = useTexts(frameTexts)
  return (
    <Button className="menu-button" variant="default" size="xs" aria-expanded={isOpen} aria-controls="menu" onClick={onClick}>
      {texts.menu}
    </Button>
  )
}

interface ContentProps {
  pause: Deployment['pause'] | undefined
  reads: readonly ReturnType<typeof useRead>[]
  children: ReactNode
}

/** The page, below what there is to say of the deployment; `reads` are those without which the menu lacks entries. */
function Content({ pause, reads, children }: ContentProps) {
  const texts = useTexts(frameTexts)
  const isArriving = reads.some(({ data, failureCount }) => data === undefined && failureCount === 0)
  return (
    <main id="content" tabIndex={-1} className={isArriving ? 'arriving' : undefined}>
      <UnreachableBar />
      {pause && (
        <p role="status" className="paused">
          <strong>{texts.paused}</strong> {texts.pausedHint[pause.reason]}
        </p>
      )}
      <div className="notice">
        <Failure reads={reads.filter(({ data }) => data === undefined)} />
      </div>
      {children}
    </main>
  )
}

function MenuEntries({ destinations, location }: { destinations: readonly Destination[]; location: string }) {
  const texts = useTexts(frameTexts)
  return (
    <>
      {destinations.map(({ path, name, isInside }) => (
        <NavLink
          key={path}
          component={Link}
          href={path}
          label={name}
          active={isHere(location, path)}
          aria-current={isHere(location, path) ? 'page' : undefined}
          className={isInside ? 'inside' : undefined}
        />
      ))}
      <NavLink component="a" href="/docs/" label={texts.documentation} />
    </>
  )
}

/** Whether the menu entry is active: its page is open, or one below it without its own entry. */
function isHere(location: string, path: string): boolean {
  if (location === path) return true
  return location.startsWith(`${path}/`) && !(path === '/webhooks' && /^\/webhooks\/(deliveries|feed)/.test(location))
}

function MenuFoot({ me }: { me: Whoami | undefined }) {
  const texts = useTexts(frameTexts)
  return (
    <div className="menu-foot">
      <div className="menu-person">
        <UserText most={60}>{me?.name ?? ' '}</UserText>
        <UserText most={60}>{me?.instanceName ?? ' '}</UserText>
      </div>
      <Preferences />
      <Button variant="default" size="xs" onClick={() => void signOut()}>
        {texts.signOut}
      </Button>
    </div>
  )
}
